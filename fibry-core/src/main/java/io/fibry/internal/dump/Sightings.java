package io.fibry.internal.dump;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Turn;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What earlier looks have seen of actors that were not idle. Guarded by the lock of {@link Dumps}.
 *
 * <p>Messages carry no time. If two looks see the same handler, or the same waiting message, it has lasted at least from one
 * look to the other:
 *
 * <ul>
 * <li>A handler is the same if the actor has finished no message in between, and if the same turn worked at both looks or the
 * handler waited for an actor at the first look. Else the actor may have been idle in between.
 * <li>Messages have numbers. If the number of the first message that waits is not higher than that of the newest message at an
 * earlier look, then this message was in the mailbox at that look.
 * </ul>
 */
final class Sightings {
    /** The most actors that are remembered: a bound for programs in which very many actors are busy. */
    private static final int MOST = 20_000;
    private static final int MARKS = 4;

    /** The number of the newest message at some time. */
    private record Mark(long at, int newest) {
    }

    /** The work on a message, as a look has seen it. */
    private record Handling(long finished, WeakReference<@Nullable Turn> turn, boolean waits, long since) {
        boolean isSame(long finishedNow, @Nullable Turn turnNow) {
            return finished == finishedNow && (waits || (turnNow != null && turn.refersTo(turnNow)));
        }
    }

    /** What was seen of one actor. */
    static final class Sighting {
        private static final Sighting NONE = new Sighting();

        private @Nullable Handling handling;
        private final ArrayDeque<Mark> marks = new ArrayDeque<>(2);
        private long at;

        /** Returns how long the handler has worked on its message; empty if only one look has seen it. */
        Optional<Duration> lasts() {
            var known = handling;
            return known == null ? Optional.empty() : since(known.since);
        }

        /** Returns how long the first message has waited; empty if only one look has seen it. */
        Optional<Duration> firstWaits() {
            return marks.isEmpty() ? Optional.empty() : since(marks.getFirst().at);
        }

        private Optional<Duration> since(long then) {
            return at == then ? Optional.empty() : Optional.of(Duration.ofNanos(at - then));
        }

        private void look(Cell cell, long now) {
            at = now;
            lookAtHandler(cell, now);
            lookAtMailbox(cell, now);
        }

        private void lookAtHandler(Cell cell, long now) {
            var finished = cell.finishedSoFar();
            var turn = cell.turn();
            var waits = cell.waiting() != null;
            if ((turn == null && !waits) || cell.finishedSoFar() != finished) {
                handling = null;
            } else {
                var before = handling;
                var since = before != null && before.isSame(finished, turn) ? before.since : now;
                handling = new Handling(finished, new WeakReference<@Nullable Turn>(turn), waits, since);
            }
        }

        private void lookAtMailbox(Cell cell, long now) {
            var taken = cell.taken();
            var newest = cell.newest();
            while (!marks.isEmpty() && marks.getFirst().newest - taken <= 0) {
                marks.removeFirst();
            }
            if (newest - taken > 0) {
                if (marks.size() == MARKS) {
                    marks.removeLast();
                }
                marks.addLast(new Mark(now, newest));
            }
        }
    }

    private final Map<Cell, Sighting> seen = new WeakHashMap<>();
    /** When the last look began. */
    private long lastLook;

    /** Looks at an actor that is not idle. Returns what this look and the earlier ones have seen of it. */
    Sighting look(Cell cell, long now) {
        if (now != lastLook && seen.size() >= MOST) { // once for each look: what the one before has not seen is forgotten
            seen.values().removeIf(each -> each.at != lastLook);
        }
        lastLook = now;
        var before = seen.get(cell);
        if (before == null) {
            if (seen.size() >= MOST) {
                return Sighting.NONE;
            }
            before = new Sighting();
            seen.put(cell, before);
        }
        before.look(cell, now);
        return before;
    }
}
