package io.fibry.cluster.trial;

import io.fibry.cluster.trial.AskHistory.Ask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What processes have sent to keys, what their senders were told of it, and which actors have handled it, as all of them have logged it. Each sender
 * numbers what it sends to a key. A message is handled at most once, and in order of its sender for its key; it is lost without a word only if it
 * was in the mailbox of an actor whose process was away: killed, frozen or cut off. All processes have one clock.
 */
public final class Deliveries {
    /** How a message was sent. */
    public enum Kind {
        ASK, TELL, TRACKED
    }

    /** A message. A sender is a process, of which each start has a name of its own. */
    public record Id(String sender, int key, long number) {
        @Override
        public String toString() {
            return "message " + number + " of " + sender + " for the key " + key;
        }
    }

    private record Sent(Id id, Kind kind, long begin) {
    }

    private record Told(String fate, long end, String actor, long value) {
    }

    private record Handled(Id id, String actor, long time) {
        String process() {
            return processOf(actor);
        }
    }

    private enum Kept {
        /** The process has ended. */
        NOTHING,
        /** Its actors have ended at some time, and nothing begins after that. */
        NO_ACTOR,
        /** Its actors may have gone on meanwhile. */
        ALL
    }

    private record Absence(String process, long begin, long end, Kept kept) {
        boolean has(long time) {
            return begin <= time && time <= end;
        }
    }

    public static final String HANDLED = "handled";
    public static final String UNCERTAIN = "uncertain";
    public static final String NOT_HANDLED = "not handled";

    private final Map<Id, Sent> sent = new LinkedHashMap<>();
    private final Map<Id, Told> told = new HashMap<>();
    private final List<Handled> handled = new ArrayList<>();
    private final List<Absence> absences = new ArrayList<>();
    private long diedWithActors;

    private static String processOf(String actor) {
        return actor.substring(0, actor.indexOf('#'));
    }

    public static String sent(Id id, Kind kind, long begin) {
        return "sent\t" + text(id) + "\t" + kind + "\t" + begin + "\n";
    }

    public static String told(Id id, String fate, long end, String actor, long value) {
        return "told\t" + text(id) + "\t" + fate.replaceAll("\\s+", " ") + "\t" + end + "\t" + actor + "\t"
                + value + "\n";
    }

    public static String handled(Id id, String actor, long time) {
        return HANDLED + "\t" + text(id) + "\t" + actor + "\t" + time + "\n";
    }

    private static String text(Id id) {
        return id.sender + "\t" + id.key + "\t" + id.number;
    }

    /** Reads what a process has logged. What it was about to write when it was killed is no line yet. */
    public void read(Path log) throws IOException {
        var text = Files.readString(log);
        try (Stream<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines()) {
            lines.forEach(this::add);
        }
    }

    public void add(String line) {
        var words = line.strip().split("\t");
        var id = new Id(words[1], Integer.parseInt(words[2]), Long.parseLong(words[3]));
        switch (words[0]) {
            case "sent" -> sent.put(id, new Sent(id, Kind.valueOf(words[4]), Long.parseLong(words[5])));
            case "told" ->
                told.putIfAbsent(id,
                        new Told(words[4], Long.parseLong(words[5]), words[6], Long.parseLong(words[7])));
            case HANDLED -> handled.add(new Handled(id, words[4], Long.parseLong(words[5])));
            default -> throw new IllegalArgumentException(line);
        }
    }

    /** The process was killed at some time between these two. */
    public void killed(String process, long begin, long end) {
        absences.add(new Absence(process, begin, end, Kept.NOTHING));
    }

    /** The process was frozen or cut off, and has taken part again at the end. */
    public void away(String process, long begin, long end) {
        absences.add(new Absence(process, begin, end, Kept.ALL));
    }

    /** The actors of the process have ended at some time between these two, since its lease was over. */
    public void leaseOver(String process, long begin, long end) {
        absences.add(new Absence(process, begin, end, Kept.NO_ACTOR));
    }

    /** How many messages of each kind were sent, how many are uncertain, and how many have ended with their actors. */
    public String figures() {
        var kinds = new ArrayList<String>();
        for (var kind : Kind.values()) {
            kinds.add(kind + " " + sent.values().stream().filter(each -> each.kind == kind).count());
        }
        return String.join(", ", kinds) + ", uncertain "
                + told.values().stream().filter(each -> each.fate.equals(UNCERTAIN)).count()
                + ", ended with their actors " + diedWithActors;
    }

    /** The asks. What a process that was away has answered to itself is no answer of its cluster. */
    public List<Ask> asks() {
        var asks = new ArrayList<Ask>();
        for (var each : sent.values()) {
            if (each.kind == Kind.ASK) {
                var answer = told.get(each.id);
                if (answer == null) {
                    asks.add(new Ask(each.id.key, each.begin, Long.MAX_VALUE, "not told", "-", 0));
                } else {
                    var outcome = !answer.fate.equals(HANDLED) ? answer.fate
                            : isToItselfWhileAway(each, answer) ? "away" : "answered";
                    asks.add(new Ask(each.id.key, each.begin, answer.end, outcome, answer.actor,
                            answer.value));
                }
            }
        }
        return asks;
    }

    private boolean isToItselfWhileAway(Sent ask, Told answer) {
        return absences.stream().anyMatch(each -> each.kept == Kept.ALL && each.process.equals(ask.id.sender)
                && each.process.equals(processOf(answer.actor)) && ask.begin <= each.end
                && answer.end >= each.begin);
    }

    /** Returns what must not be. */
    public List<String> faults() {
        var faults = new ArrayList<String>();
        var byId = new HashMap<Id, Handled>();
        for (var each : handled) {
            if (!sent.containsKey(each.id)) {
                faults.add(each.id + " was handled, and nobody has sent it");
            }
            var first = byId.put(each.id, each);
            if (first != null) {
                faults.add(each.id + " was handled twice: by " + first.actor + " and " + each.actor);
            }
        }
        var last = new LastActors(handled);
        diedWithActors = 0;
        for (var each : sent.values()) {
            var fate = told.containsKey(each.id) ? told.get(each.id).fate : "";
            if (byId.containsKey(each.id)) {
                if (fate.startsWith(NOT_HANDLED)) {
                    faults.add(each.id + " was handled, and its sender was told: " + fate);
                }
            } else if (fate.equals(HANDLED)) {
                faults.add(each.id + " was not handled, and its sender was told that it was");
            } else if (fate.isEmpty()) {
                if (!hasEnded(each, last)) {
                    faults.add(each.id + " was lost (" + each.kind + "): not handled, and nobody was told");
                }
                diedWithActors++;
            }
        }
        orderFaults(faults);
        return faults;
    }

    /** Whether its actor, or its sender, may have ended with it. */
    private boolean hasEnded(Sent message, LastActors last) {
        for (var each : absences) {
            if (each.kept == Kept.NOTHING && each.process.equals(message.id.sender)) {
                return true;
            }
            // An actor handles what it has in order: of what it has not handled, nothing came before what it has.
            if (message.begin <= each.end && last.of(message.id.key, each).stream()
                    .anyMatch(actor -> last.number(actor, message.id) < message.id.number)) {
                return true;
            }
        }
        return false;
    }

    private void orderFaults(List<String> faults) {
        var ofActors = new HashMap<String, Handled>();
        for (var each : handled) {
            var before = ofActors.put(each.actor + " " + each.id.sender + " " + each.id.key, each);
            if (before != null && before.id.number > each.id.number) {
                faults.add(each.id + " was handled behind " + before.id.number + " by " + each.actor);
            }
        }
        // Of an actor of a process that is away another one knows nothing.
        var ofKeys = new HashMap<String, Handled>();
        handled.stream().sorted(Comparator.comparingLong(Handled::time)).filter(each -> absences.stream()
                .noneMatch(absence -> absence.kept != Kept.NO_ACTOR && absence.process.equals(each.process())
                        && absence.has(each.time)))
                .forEach(each -> {
                    var before = ofKeys.put(each.id.sender + " " + each.id.key, each);
                    if (before != null && before.id.number > each.id.number
                            && !before.actor.equals(each.actor)) {
                        faults.add(each.id + " was handled by " + each.actor + " behind " + before.id.number
                                + " by " + before.actor);
                    }
                });
    }

    /** Which actors a key had, and what they have handled last of a sender. */
    private static final class LastActors {
        private final Map<Integer, List<Handled>> ofKeys = new HashMap<>();
        private final Map<String, Long> numbers = new HashMap<>();

        LastActors(List<Handled> handled) {
            for (var each : handled) {
                ofKeys.computeIfAbsent(each.id.key, key -> new ArrayList<>()).add(each);
                numbers.merge(each.actor + " " + each.id.sender, each.id.number, Math::max);
            }
            ofKeys.values().forEach(each -> each.sort(Comparator.comparingLong(Handled::time)));
        }

        /** The actors that have ended with a process: the one that the key had when the process went, and those that went on meanwhile. */
        Set<String> of(int key, Absence absence) {
            Handled last = null;
            var actors = new HashSet<String>();
            for (var each : ofKeys.getOrDefault(key, List.of())) {
                if (each.time < absence.begin) {
                    last = each;
                } else if (absence.has(each.time) && each.process().equals(absence.process)) {
                    actors.add(each.actor);
                }
            }
            if (last != null && last.process().equals(absence.process)) {
                actors.add(last.actor);
            }
            return actors;
        }

        long number(String actor, Id message) {
            return numbers.getOrDefault(actor + " " + message.sender, 0L);
        }
    }
}
