package io.fibry.internal.abandon;

import io.fibry.HandlerAbandonedException;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.layer.SurroundingBehavior;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.report.ContentClass;
import io.fibry.internal.run.Parking;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor that can go on without a handler that does not end. Its turn gives each message to a
 * {@link StandInThread} and waits for it. The turn itself makes handlers and disposes of them, so an abandoned
 * thread refers to nothing but the handler that it was given. Only the turn uses this object, except for {@link
 * #standIn}, which other threads may read.
 *
 * <p>The turn is woken by the stand-in thread (the handler has ended), by one of its alarms (the time is over), or
 * by an interrupt, which the turn passes on. Each of them sets its state before it wakes the turn, and the turn
 * checks all of them before it parks. So no wake-up is lost.
 */
public final class StandInBehavior extends SurroundingBehavior {
    private final StuckLimit limit;
    private final StandInThreads threads;
    private final boolean boundedPool;
    /** Written by the turn. */
    private volatile @Nullable StandInThread standIn;

    StandInBehavior(ActorSpec spec, StuckLimit limit, Behavior inner) {
        super(inner);
        this.limit = limit;
        this.threads = StandInThreads.of(spec.placement());
        this.boundedPool = spec.placement().boundedPool();
    }

    @Override
    public void equip(Cell cell) {
        super.equip(cell);
        var extended = cell.extendedState();
        extended.add(new StandingIn(this));
        extended.context = new FencedContext<>((Handle<?, ?>) cell);
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        var handler = inner.ready(turn);
        return work(turn, ContentClass.of(message), new Handling(handler, message), true);
    }

    private record Handling(Behavior handler, Object message) implements StandInRun.Work {
        @Override
        public @Nullable Object run(Turn guest) throws Exception {
            return handler.handle(guest, message);
        }
    }

    private record Calling(Callable<? extends @Nullable Object> code) implements StandInRun.Work {
        @Override
        public @Nullable Object run(Turn guest) throws Exception {
            return code.call();
        }
    }

    @Override
    public @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        var bound = inner.bound(turn, code);
        return work(turn, ContentClass.of(shown), new Calling(bound), bound != code);
    }

    /** What the end and the pauses of the actor mean for its stand-in thread. */
    private static final class StandingIn extends Feature {
        private final StandInBehavior behavior;

        StandingIn(StandInBehavior behavior) {
            this.behavior = behavior;
        }

        @Override
        public @Nullable Thread worker() {
            var mine = behavior.standIn;
            return mine == null ? null : mine.thread;
        }

        @Override
        public boolean mayAbandon() {
            return true;
        }

        /** Gives the stand-in thread back if it does not stay with the actor. */
        @Override
        public void rest() {
            if (!behavior.threads.staysWithActor()) {
                // mutant: idle-stand-in-stays
                behavior.giveBackThread();
            }
        }

        @Override
        public void stopped() {
            // mutant: stand-in-outlives-its-actor
            behavior.giveBackThread();
        }
    }

    /** Gives the stand-in thread back: the actor will have nothing to do, or not for now. */
    private void giveBackThread() {
        var mine = standIn;
        if (mine != null) {
            standIn = null;
            threads.takeBack(mine);
        }
    }

    private @Nullable Object work(Turn turn, Class<?> message, StandInRun.Work work, boolean usesHandler) {
        var cell = turn.cell;
        var extended = turn.extendedState();
        var guest = new Turn(cell, new StopNode(Reason.EXIT));
        var run = new StandInRun(cell, guest, message, work, extended.deadline);
        var mine = standIn;
        if (mine == null) {
            mine = threads.begin(run);
            standIn = mine;
        } else {
            mine.give(run);
        }
        var forced = await(cell, mine, run);
        if (run.hasEnded() || !abandon(cell, mine, run)) {
            return run.outcome();
        }
        // mutant: abandoned-stand-in-gets-the-next-message
        standIn = null;
        var failure = failure(cell, mine, run, forced);
        extended.waiting = null; // the abandoned handler has set it
        if (usesHandler) {
            leave(cell, run);
        }
        throw failure;
    }

    /** Waits as {@link #awaitInTime} does. If there is no memory for a timer the time of the handler has no limit. */
    private boolean await(Cell cell, StandInThread mine, StandInRun run) {
        try {
            return awaitInTime(cell, mine, run);
        } catch (Throwable noTimer) {
            while (!run.hasEnded()) { // the next message must not begin while the handler runs
                pause(mine);
            }
            return false;
        }
    }

    /**
     * Waits until the handler has ended, or until it has not ended in time after an interrupt. Returns whether a
     * forced stop was the reason of the interrupt.
     */
    private boolean awaitInTime(Cell cell, StandInThread mine, StandInRun run) {
        var time = cell.spec().scope().time();
        var extended = cell.extendedState();
        var left = limit.nanos();
        do {
            try (var alarm = new Alarm(time, left)) {
                while (!alarm.hasRung() && !extended.forced) {
                    if (run.hasEnded()) {
                        return false;
                    }
                    pause(mine);
                }
            }
            while (run.isToBegin()) { // its time begins with the handler, and before that there is nothing to abandon
                pause(mine);
            }
            left = limit.nanos() - run.nanos();
        } while (left > 0 && !extended.forced);
        var forced = extended.forced;
        // mutant: interrupt-of-a-stand-in-is-not-passed-on
        Thread.interrupted(); // the next statement passes the interrupt on
        mine.interrupt();
        try (var alarm = new Alarm(time, limit.graceNanos())) {
            while (!alarm.hasRung() && !run.hasEnded()) {
                pause(mine);
            }
        }
        return forced;
    }

    /** Parks the turn until something may have changed, and passes interrupts on. */
    private void pause(StandInThread mine) {
        assert Interleave.here();
        if (Thread.interrupted()) {
            mine.interrupt();
        } else if (boundedPool && !mine.waits()) {
            LockSupport.park(this); // the stand-in thread uses the turn's place in the pool
        } else {
            Parking.park(this);
        }
    }

    /** Abandons the handler; returns false if it has ended in the meantime. */
    private boolean abandon(Cell cell, StandInThread mine, StandInRun run) {
        var abandoned = cell.spec().scope().abandoned();
        abandoned.put(mine, cell);
        while (!run.abandon()) {
            pause(mine);
        }
        if (run.isAbandoned()) {
            return true;
        }
        abandoned.remove(mine);
        return false;
    }

    private HandlerAbandonedException failure(Cell cell, StandInThread mine, StandInRun run,
            boolean forced) {
        var nanos = run.nanos();
        var thread = mine.thread;
        var stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        var failure = new HandlerAbandonedException("actor '" + cell.name()
                + "' has worked on a message of " + run.message.getName() + " for " + Durations.text(nanos)
                + ", did not end within " + Durations.text(limit.graceNanos())
                + " after it was interrupted " + (forced ? "by a forced stop" : "for that")
                + ", and was abandoned" + TimeoutDetails.place(stack) + TimeoutDetails.waits(cell)
                + "; let its handler end when it is interrupted, or allow it more than "
                + Durations.text(limit.nanos()), cell.name(), Duration.ofNanos(nanos));
        failure.setStackTrace(stack);
        return failure;
    }

    /**
     * Leaves the handler object to the abandoned thread, which still uses it. The thread closes it when the handler
     * has ended.
     */
    private void leave(Cell cell, StandInRun run) {
        var left = inner.abandon();
        if (left != null && !run.leaveToClose(left)) {
            Termination.runHook(cell, ClosingHook.of(left));
        }
    }
}
