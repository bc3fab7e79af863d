package io.fibry.cluster.trial;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * What was asked of counters, and what they have answered. Each actor has a name of its own, and counts from one; so a message that was handled twice
 * leaves a gap, and two actors of a key at a time show as one that answers before and after the other. All processes have one clock.
 */
public final class AskHistory {
    /**
     * An ask.
     *
     * @param outcome {@code answered}, {@code uncertain}, or why it failed
     * @param actor the actor that has answered
     * @param value what it has counted
     */
    public record Ask(int key, long begin, long end, String outcome, String actor, long value) {
        static Ask of(String line) {
            var words = line.split("\t");
            return new Ask(Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
                    words[3],
                    words[4], Long.parseLong(words[5]));
        }

        String line() {
            return key + "\t" + begin + "\t" + end + "\t" + outcome.replaceAll("\\s+", " ") + "\t" + actor
                    + "\t" + value;
        }

        boolean isAnswered() {
            return outcome.equals("answered");
        }
    }

    private static final class Life {
        long firstEnd = Long.MAX_VALUE;
        long lastBegin = Long.MIN_VALUE;
        long highest;
        final Map<Long, Ask> answers = new HashMap<>();
    }

    private AskHistory() {
    }

    /** Returns what must not be; it says nothing about asks that failed. */
    public static List<String> faults(List<Ask> asks) {
        var lives = new HashMap<Integer, Map<String, Life>>();
        var uncertain = new HashMap<Integer, Integer>();
        var faults = new ArrayList<String>();
        for (var ask : asks) {
            if (!ask.isAnswered()) {
                uncertain.merge(ask.key, 1, Integer::sum);
                continue;
            }
            var life = lives.computeIfAbsent(ask.key, key -> new HashMap<>()).computeIfAbsent(ask.actor,
                    actor -> new Life());
            life.firstEnd = Math.min(life.firstEnd, ask.end);
            life.lastBegin = Math.max(life.lastBegin, ask.begin);
            life.highest = Math.max(life.highest, ask.value);
            if (life.answers.put(ask.value, ask) != null) {
                faults.add("two asks of the key " + ask.key + " have the answer " + ask.value + " of "
                        + ask.actor);
            }
        }
        lives.forEach((key, actors) -> {
            var gaps = actors.values().stream().mapToLong(life -> life.highest - life.answers.size()).sum();
            if (gaps > uncertain.getOrDefault(key, 0)) {
                faults.add("the actors of the key " + key + " have counted " + gaps
                        + " messages that nobody has an answer to, and " + uncertain.getOrDefault(key, 0)
                        + " asks of it have no answer");
            }
            faults.addAll(orderFaults(key, actors));
        });
        return faults;
    }

    private static List<String> orderFaults(int key, Map<String, Life> actors) {
        var faults = new ArrayList<String>();
        var names = List.copyOf(actors.keySet());
        for (int i = 0; i < names.size(); i++) {
            for (int j = i + 1; j < names.size(); j++) {
                var one = actors.get(names.get(i));
                var other = actors.get(names.get(j));
                if (one.firstEnd < other.lastBegin && other.firstEnd < one.lastBegin) {
                    faults.add("the key " + key + " had two actors at a time: " + names.get(i) + " and "
                            + names.get(j));
                }
            }
        }
        for (var life : actors.entrySet()) {
            // In order of values, none may have begun after a higher one had ended.
            var earliestEnd = Long.MAX_VALUE;
            for (long value = life.getValue().highest; value > 0; value--) {
                var ask = life.getValue().answers.get(value);
                if (ask != null) {
                    if (ask.begin > earliestEnd) {
                        faults.add("the value of the key " + key + " went backwards to " + value + " at "
                                + life.getKey());
                    }
                    earliestEnd = Math.min(earliestEnd, ask.end);
                }
            }
        }
        return new HashSet<>(faults).stream().sorted().toList();
    }
}
