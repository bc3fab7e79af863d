package io.fibry.internal.scope;

import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.memory.Interleave;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Waits until no actor of a scope and of its inner scopes has a message or handles one, while only these actors send
 * to each other.
 *
 * <p>One look at each actor in turn proves nothing: an actor that was idle may have got a message from an actor that
 * was looked at later. So there are two rounds of looks. If each actor was idle at both looks and has finished
 * nothing in between, then all actors were idle at the moment between the two rounds, and no actor is left that
 * could send: one that is made later is made by an actor that is busy between the rounds. A second round in which an actor
 * is added to a list does not count, as it may miss that one and its maker, which has ended; the first one may miss any.
 *
 * <p>There is no pause between two tries: each busy actor gets a probe, and the next try comes when all probes have
 * been handled. So in each try every message gets further by one actor at least.
 *
 * <p>The drain never waits for an actor that is a single body, since a body is no message.
 */
final class ScopeDrain {
    /**
     * After how many tries the drain looks whether it gets anywhere. If no actor has handled a message in them, what waits
     * has nobody who takes it. If no time has gone by, no deadline would end actors that send to each other for ever.
     */
    private static final int TRIES = 10_000;

    private final Scope scope;
    private final TimeSource time;
    private final SharedDeadline deadline;

    /** Makes a drain with a deadline by the clock of the scope. */
    ScopeDrain(Scope scope, SharedDeadline deadline) {
        this(scope, scope.time(), deadline);
    }

    private ScopeDrain(Scope scope, TimeSource time, SharedDeadline deadline) {
        this.scope = scope;
        this.time = time;
        this.deadline = deadline;
    }

    /** Waits for idle actors in a scope that goes on. The limit is real time. */
    static boolean awaitIdle(Scope scope, Duration limit) throws InterruptedException {
        var nanos = Durations.positiveNanos(limit, "limit");
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted before it waited for scope '" + scope.name() + "' to be idle");
        }
        var time = SystemTime.orStandIn();
        return new ScopeDrain(scope, time, new SharedDeadline(time, nanos)).await();
    }

    /** Waits; returns false if an actor still had something to do when the time was over. */
    boolean await() throws InterruptedException {
        var counted = Map.<Cell, Counters>of();
        long lastLook = time.nanoTime();
        for (int tries = 1; !deadline.isOver(); tries++) {
            var found = new ArrayList<Cell>();
            var areAll = collect(found);
            if (areAll && tries % TRIES == 0) {
                var before = counted;
                counted = counted(found);
                if (counted.equals(before) || time.nanoTime() == lastLook) {
                    return false;
                }
                lastLook = time.nanoTime();
            }
            var busy = new ArrayList<Cell>();
            var idle = new IdentityHashMap<Cell, Long>();
            for (var cell : found) {
                var finished = cell.finishedSoFar();
                assert Interleave.here();
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

    private static Map<Cell, Counters> counted(List<Cell> cells) {
        var counted = new HashMap<Cell, Counters>();
        for (var cell : cells) {
            counted.put(cell, cell.counters());
        }
        return counted;
    }

    private boolean isStillIdle(Map<Cell, Long> before) {
        var found = new ArrayList<Cell>();
        if (!collect(found)) {
            return false;
        }
        for (var cell : found) {
            assert Interleave.here();
            var seen = before.get(cell);
            // mutant: drain-trusts-its-first-look
            if (seen == null || !cell.isIdle() || cell.finishedSoFar() != seen) {
                return false;
            }
        }
        return true;
    }

    /** Waits until all of them have handled the nodes that they have now; returns false if the time was over before. */
    private boolean pass(List<Cell> busy) throws InterruptedException {
        var ending = new ArrayList<Cell>();
        busy.removeIf(cell -> cell.isStopping() && ending.add(cell));
        if (!busy.isEmpty() && !Probes.await(busy, time, deadline)) {
            return false;
        }
        for (var cell : ending) {
            if (!cell.extendedState().exited.awaitFinish(time, deadline.nanosLeft())) {
                return false;
            }
        }
        return true;
    }

    /** Adds the actors that count; returns whether these were all. */
    private boolean collect(List<Cell> found) {
        var areAll = scope.collect(found);
        var isInside = scope.stage().isCalledFromInside();
        found.removeIf(cell -> cell.behavior().isBody() || Current.isInside(cell)
                || (isInside && mayWaitForCaller(cell)));
        return areAll;
    }

    /**
     * Returns whether an actor has nothing to handle any more and may wait for the caller: its stop is being reported to
     * listeners, or it waits for its children.
     */
    private static boolean mayWaitForCaller(Cell cell) {
        return cell.state() == ActorState.STOPPED || (cell.isStopping() && Current.isWithin(cell));
    }
}
