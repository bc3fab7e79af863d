package io.fibry.internal.scope;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Stopping;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.memory.Interleave;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Waits until no actor of some scopes has mail or handles any, while only they send to each other.
 *
 * <p>Looking at one actor after another proves nothing by itself: one that was idle may have been sent to by one
 * that was looked at later. So all are looked at twice. If each was idle at both looks and has handled nothing in
 * between, then all were idle at the moment between the two rounds; and then nothing is left that could send. An
 * actor made after the first round was made by one that was busy between the rounds.
 *
 * <p>Between tries there is no pause: each busy actor gets a probe, and the next try comes when all probes have been
 * reached. So with each try all messages have got further by one actor at least.
 *
 * <p>An actor whose whole life is one body is never waited for: its body is no message.
 */
final class ScopeDrain {
    /** Who is not done by then goes on for ever, or as good as that. */
    static final int MAX_STEPS = 10_000;

    private final Scope scope;
    private final SharedDeadline deadline;

    ScopeDrain(Scope scope, SharedDeadline deadline) {
        this.scope = scope;
        this.deadline = deadline;
    }

    /** Waits; false if there was still something to do when the time was over. */
    boolean await() throws InterruptedException {
        for (int step = 0; step < MAX_STEPS && !deadline.isOver(); step++) {
            var busy = new ArrayList<Cell>();
            var idle = new IdentityHashMap<Cell, Long>();
            for (var cell : cells()) {
                var finished = cell.finishedSoFar();
                Interleave.here();
                if (cell.isIdle()) {
                    idle.put(cell, finished);
                } else {
                    busy.add(cell);
                }
            }
            // mutant: one-look-is-taken-for-quiet
            if (busy.isEmpty() && isStillIdle(idle)) {
                return true;
            }
            if (!pass(busy)) {
                return false;
            }
        }
        return false;
    }

    private boolean isStillIdle(Map<Cell, Long> before) {
        for (var cell : cells()) {
            Interleave.here();
            var seen = before.get(cell);
            // mutant: drain-trusts-its-first-look
            if (seen == null || !cell.isIdle() || cell.finishedSoFar() != seen) {
                return false;
            }
        }
        return true;
    }

    /** Waits until all of them have handled what they have; false if that took too long. */
    private boolean pass(List<Cell> busy) throws InterruptedException {
        var ending = new ArrayList<Cell>();
        busy.removeIf(cell -> cell.hasClosed() && ending.add(cell));
        if (!busy.isEmpty() && !Probes.await(busy, scope.time(), deadline.nanosLeft())) {
            return false;
        }
        for (var cell : ending) {
            if (!Stopping.awaitExit(cell, deadline.nanosLeft())) {
                return false;
            }
        }
        return true;
    }

    private List<Cell> cells() {
        var found = new ArrayList<Cell>();
        scope.collect(found);
        found.removeIf(cell -> cell.behavior().isBody() || Current.isInside(cell));
        return found;
    }
}
