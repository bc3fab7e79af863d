package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Stuck;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The actors of a scope that its watchdog has found stuck. A look forgets those that have finished their message since the look before
 * it, that are idle, or that have ended.
 */
final class StuckActors implements ActorListener {
    private static final DumpOptions ALL = DumpOptions.defaults().withActors(Integer.MAX_VALUE).withFrames(0);
    private static final Set<Progress> NOT_SEEN = Set.of();

    /** An entry is replaced or removed only if it is the one that was looked at. */
    private final ConcurrentHashMap<String, Suspect> suspects = new ConcurrentHashMap<>();

    /** Where an actor is, and how many messages it had finished. */
    private record Progress(String scope, long finished) {
    }

    /**
     * What was reported of an actor. The report does not tell its scope, and other scopes may have an actor of that name, so
     * this has the progress of all that work since the first look.
     */
    private record Suspect(Stuck report, Set<Progress> finished) {
    }

    @Override
    public void on(ActorEvent event) {
        if (event instanceof Stuck stuck) {
            suspects.put(stuck.actor(), new Suspect(stuck, NOT_SEEN));
        }
    }

    /** Events are logged as without this listener. */
    @Override
    public boolean takesEvents() {
        return false;
    }

    /** Returns the actors that are stuck, with what they were doing when that was reported. */
    SortedMap<String, String> look(ActorScope scope) {
        var found = new TreeMap<String, String>();
        if (!suspects.isEmpty()) {
            var busy = new HashMap<String, Set<Progress>>();
            addBusy("", scope.dump(ALL).scope(), busy);
            suspects.forEach(
                    (name, suspect) -> look(name, suspect, busy.getOrDefault(name, Set.of()), found));
        }
        return found;
    }

    private void look(String name, Suspect suspect, Set<Progress> busy, SortedMap<String, String> found) {
        var still = new HashSet<>(busy);
        if (!suspect.finished().equals(NOT_SEEN)) {
            still.retainAll(suspect.finished());
        }
        if (still.isEmpty()) {
            suspects.remove(name, suspect);
        } else {
            suspects.replace(name, suspect, new Suspect(suspect.report(), still));
            found.put(name, text(suspect.report()));
        }
    }

    private static String text(Stuck report) {
        var message = report.message().map(type -> " on a " + type.getName()).orElse("");
        var place = report.stack().isEmpty() ? "" : ", at " + report.stack().getFirst();
        return "works for at least " + report.runningFor().toMillis() + " ms" + message + place;
    }

    private static void addBusy(String around, ScopeDump scope, Map<String, Set<Progress>> busy) {
        var path = around + '/' + scope.name();
        for (var actor : scope.shown()) {
            if (!actor.work().isEmpty()) {
                busy.computeIfAbsent(actor.name(), name -> new HashSet<>())
                        .add(new Progress(path, finished(actor)));
            }
        }
        scope.scopes().forEach(inner -> addBusy(path, inner, busy));
    }

    private static long finished(ActorDump actor) {
        return actor.counters().handled() + actor.counters().failed();
    }
}
