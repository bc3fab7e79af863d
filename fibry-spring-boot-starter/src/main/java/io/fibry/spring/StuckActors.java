package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.ScopeDump;
import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Stuck;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The actors of a scope that its watchdog has found stuck. A look forgets those that have finished their message since the look before
 * it, that are idle, or that have ended.
 */
final class StuckActors implements ActorListener {
    private static final DumpOptions ALL = DumpOptions.defaults().withActors(Integer.MAX_VALUE).withFrames(0);
    private static final long NOT_SEEN = -1;

    /** An entry is replaced or removed only if it is the one that was looked at. */
    private final ConcurrentHashMap<String, Suspect> suspects = new ConcurrentHashMap<>();

    /** What was reported of an actor, and how many messages it had finished when it was first looked at. */
    private record Suspect(Stuck report, long finished) {
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
            var busy = new TreeMap<String, Long>();
            all(scope.dump(ALL).scope()).filter(actor -> !actor.work().isEmpty())
                    .forEach(actor -> busy.put(actor.name(), finished(actor)));
            suspects.forEach(
                    (name, suspect) -> look(name, suspect, busy.getOrDefault(name, NOT_SEEN), found));
        }
        return found;
    }

    private void look(String name, Suspect suspect, long finished, SortedMap<String, String> found) {
        if (finished == NOT_SEEN || (suspect.finished() != NOT_SEEN && suspect.finished() != finished)) {
            suspects.remove(name, suspect);
        } else {
            suspects.replace(name, suspect, new Suspect(suspect.report(), finished));
            found.put(name, text(suspect.report()));
        }
    }

    private static String text(Stuck report) {
        var message = report.message().map(type -> " on a " + type.getName()).orElse("");
        var place = report.stack().isEmpty() ? "" : ", at " + report.stack().getFirst();
        return "works for at least " + report.runningFor().toMillis() + " ms" + message + place;
    }

    private static long finished(ActorDump actor) {
        return actor.counters().handled() + actor.counters().failed();
    }

    private static Stream<ActorDump> all(ScopeDump scope) {
        return Stream.concat(scope.shown().stream(), scope.scopes().stream().flatMap(StuckActors::all));
    }
}
