package io.fibry.internal.handle;

import io.fibry.ActorInterruptedException;
import io.fibry.ActorState;
import io.fibry.StopReport;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.SharedDeadline;
import io.fibry.internal.clock.SystemTime;
import io.fibry.internal.cycles.EndEdge;
import io.fibry.internal.cycles.WaitGraph;
import io.fibry.internal.memory.StackReserve;
import io.fibry.internal.run.Backoff;
import io.fibry.internal.run.InterruptibleWait;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The end of an actor as its callers ask for it, wait for it and force it. */
public final class Stopping {
    /** How long a stop waits for an actor that it has interrupted, by the system's clock, whatever its deadline was. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How many times a stopper checks whether an actor that has answered is idle. */
    private static final int MAX_TRIES = 20_000;

    private Stopping() {
    }

    static StopReport stop(Cell cell, long deadlineNanos) {
        StackReserve.require();
        if (Current.isWithin(cell)) {
            cell.askExit();
            return report(cell, false);
        }
        if (deadlineNanos == 0) {
            var forced = stopAtOnce(cell, Reason.POISON_PILL);
            awaitForced(cell, grace());
            return report(cell, forced);
        }
        cell.sendPoisonPillWithReserve();
        var inTime = false;
        try {
            inTime = awaitStop(cell, deadlineNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // a thread that is told to end ends the actor that it stops, too
        }
        if (inTime) {
            return report(cell, false);
        }
        cell.force();
        awaitForced(cell, grace());
        return report(cell, true);
    }

    /**
     * Stops an actor without giving it time. An actor that has nothing to do and no hooks to run ends at
     * once; any other that has not stopped is forced. Does not wait.
     *
     * @param reason the reason of an end at once
     * @return whether the actor was forced
     */
    public static boolean stopAtOnce(Cell cell, Reason reason) {
        if (cell.state() == ActorState.STOPPED) {
            return false; // at most listeners are still to hear of its stop
        }
        // mutant: actor-that-has-answered-is-forced
        awaitIdle(cell);
        if (Termination.ofIdle(cell, cell.extendedState(), reason)) {
            return false;
        }
        cell.force();
        return true;
    }

    /**
     * Gives the turn a moment to make the actor idle. A thread that gets the answer to the last message and
     * then stops the actor is to find it idle: the turn has nothing left to do but to become idle. A callback
     * on the answer, or a listener, may keep the turn from that, so this method does not wait for long. A body is never idle.
     */
    private static void awaitIdle(Cell cell) {
        var backoff = new Backoff();
        var limit = grace(); // where many threads want a processor, each pause takes long
        for (int tries = 0; tries < MAX_TRIES && !limit.isOver() && !cell.exitRequested()
                && cell.spec.mayRunOnCaller && cell.mayBecomeIdle(); tries++) {
            backoff.pause();
        }
    }

    private static StopReport report(Cell cell, boolean forced) {
        StandIn left = null;
        for (var each : cell.spec.scope.abandoned().entrySet()) {
            if (each.getValue() == cell) {
                left = each.getKey();
                break;
            }
        }
        var exited = cell.hasExited();
        var stopped = exited && left == null;
        List<StackTraceElement> stack =
                !exited ? cell.stack() : left == null ? List.of() : left.stack();
        return new StopReport(cell.name(), stopped, forced, stopped ? List.of() : List.of(cell.name()),
                cell.counters(), cell.lost(), stack.isEmpty() ? Map.of() : Map.of(cell.name(), stack),
                Duration.ZERO, List.of());
    }

    static boolean await(Cell cell, long nanos) {
        StackReserve.require();
        if (cell.hasExited()) {
            return true;
        }
        requireOutside(cell);
        WaitGraph.enter(new EndEdge(cell));
        try {
            return awaitExit(cell, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException(
                    "interrupted while waiting for the exit of actor '" + cell.name() + "'");
        } finally {
            WaitGraph.leave();
        }
    }

    /** Throws if the calling code runs inside the actor, or inside a descendant of it, and so cannot wait for its end. */
    static void requireOutside(Cell cell) {
        if (Current.isWithin(cell)) {
            throw new IllegalStateException("actor '" + cell.name()
                    + "' would wait for its own exit, for ever; wait outside the actor");
        }
    }

    /** Returns the report on the end of an actor that has ended. */
    static StopReport reportOfEnd(Cell cell) {
        return report(cell, cell.extendedState().forced);
    }

    static void close(Cell cell) {
        cell.sendPoisonPill();
        if (Current.isWithin(cell)) {
            return;
        }
        if (cell.spec.scope.hasEnded()) {
            awaitForced(cell, grace()); // the stop of the scope has ended without it, if it has not exited
            return;
        }
        try {
            if (!awaitStop(cell, Long.MAX_VALUE)) {
                cell.force();
                awaitExit(cell, Long.MAX_VALUE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cell.force();
        }
    }

    /**
     * Waits for the end of an actor that the caller has asked to end. Returns false if the time was over before, or if
     * the caller is an actor for which that one waits, so that only an interrupt ends it.
     */
    public static boolean awaitStop(Cell cell, long nanos) throws InterruptedException {
        return awaitStopped(new EndEdge(cell), new Exit(cell, nanos));
    }

    private record Exit(Cell cell, long nanos) implements InterruptibleWait {
        @Override
        public boolean await() throws InterruptedException {
            return awaitExit(cell, nanos);
        }
    }

    /**
     * Waits for an actor that the caller stops. If the caller is an actor, it has an edge meanwhile, and an ask that closes
     * a cycle fails. Returns false if the wait has, or if the actor waits for the caller, and none of the asks can fail.
     */
    public static boolean awaitStopped(Waiting edge, InterruptibleWait wait) throws InterruptedException {
        var turn = Current.turn();
        if (turn == null || turn.standIn() != null) {
            return wait.await();
        }
        return awaitStopped(turn.cell, edge, wait);
    }

    /** As the other method of this name. The actor is the caller, or ends on its thread. */
    private static boolean awaitStopped(Cell waiter, Waiting edge, InterruptibleWait wait)
            throws InterruptedException {
        var extended = waiter.extendedState();
        var before = extended.waiting;
        try {
            return WaitGraph.enterToStop(waiter, edge) && wait.await();
        } finally {
            extended.waiting = before;
        }
    }

    /** As {@link #awaitStop}, for a child whose parent waits. The parent may end on the thread of another actor. */
    public static boolean awaitChild(Cell parent, Cell child, long nanos) throws InterruptedException {
        return awaitStopped(parent, new EndEdge(child), new Exit(child, nanos));
    }

    public static boolean awaitExit(Cell cell, long nanos) throws InterruptedException {
        return cell.extendedState().exited.await(cell.spec.scope.time(), nanos);
    }

    /**
     * Begins the time that actors have to end after an interrupt. The clock of their scope does not count, since it may be one
     * that a test moves by hand.
     */
    public static SharedDeadline grace() {
        return new SharedDeadline(SystemTime.orStandIn(), GRACE_NANOS);
    }

    /** Waits for the end of an actor that was forced to end, until the grace is over. */
    public static void awaitForced(Cell cell, SharedDeadline grace) {
        awaitUninterrupted(cell, SystemTime.orStandIn(), grace.nanosLeft());
    }

    /** Waits even while the thread is interrupted, and keeps its interrupt flag. */
    static void awaitUninterrupted(Cell cell, TimeSource time, long nanos) {
        var interrupted = Thread.interrupted();
        try {
            cell.extendedState().exited.await(time, nanos);
        } catch (InterruptedException e) {
            interrupted = true; // interrupted for the second time: the report shows that the actor is stuck
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
