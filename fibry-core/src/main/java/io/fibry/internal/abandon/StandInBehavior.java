package io.fibry.internal.abandon;

import io.fibry.HandlerAbandonedException;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ClosingHook;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Delegation;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Termination;
import io.fibry.internal.actor.TimeoutDetails;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.clock.Alarm;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Parking;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What an actor does with a message that may not take it for ever: its turn has a {@link StandInThread} do it and waits. All that
 * makes a handler, or ends one, is done by the turn itself, so an abandoned hand knows nothing but the handler it was
 * given. The turn's own, but for {@link #hand}, which others may look at.
 *
 * <p>The turn is woken by the hand (the handler has ended), by one of its alarms (the time is over), or by an interrupt,
 * which it passes on. Each says so before it wakes; the turn looks before it parks.
 */
public final class StandInBehavior implements Behavior, Delegation {
    private final Behavior inner;
    private final StuckLimit limit;
    private final StandInThreads hands;
    private final boolean boundedPool;
    private volatile @Nullable StandInThread hand;

    StandInBehavior(ActorSpec spec, StuckLimit limit, Behavior inner) {
        this.inner = inner;
        this.limit = limit;
        this.hands = StandInThreads.of(spec.placement());
        this.boundedPool = spec.placement().boundedPool();
    }

    @Override
    public Class<?> handlerClass() {
        return inner.handlerClass();
    }

    @Override
    public <M, R extends @Nullable Object> Context<M, R> contextOf(Handle<M, R> cell) {
        return new FencedContext<>(cell);
    }

    @Override
    public @Nullable Node begin(Turn turn) throws Exception {
        return inner.begin(turn);
    }

    @Override
    public void dispose() throws Exception {
        inner.dispose();
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) throws Exception {
        var handler = inner.ready(turn);
        return work(turn, message.getClass(), guest -> handler.handle(guest, message), true);
    }

    @Override
    public @Nullable Object call(Turn turn, Callable<? extends @Nullable Object> code, Object shown)
            throws Exception {
        return work(turn, shown.getClass(), guest -> code.call(), false);
    }

    /** The thread that works; null if none does. By anyone. */
    @Override
    public @Nullable Thread thread() {
        var mine = hand;
        return mine == null ? null : mine.thread;
    }

    /** The actor has nothing to do for now. */
    @Override
    public void rest() {
        if (!hands.stay()) {
            end();
        }
    }

    /** The actor will have nothing to do any more. */
    @Override
    public void end() {
        var mine = hand;
        if (mine != null) {
            hand = null;
            hands.takeBack(mine);
        }
    }

    private @Nullable Object work(Turn turn, Class<?> message, StandInRun.Work work, boolean usesHandler) {
        var cell = turn.cell;
        var companion = turn.extendedState();
        Context.of(cell); // made here, where the actor's own things are
        var guest = new Turn(cell, new StopNode(Reason.EXIT));
        var grasp = new StandInRun(cell, guest, message, work, companion.deadline);
        var mine = hand;
        if (mine == null) {
            mine = hands.begin(grasp);
            hand = mine;
        } else {
            mine.give(grasp);
        }
        var forced = await(cell, mine, grasp);
        if (grasp.hasEnded() || !abandon(cell, mine, grasp)) {
            return grasp.outcome();
        }
        // mutant: abandoned-stand-in-gets-the-next-message
        hand = null;
        var failure = failure(cell, mine, grasp, forced);
        companion.waiting = null; // it was the old one that waited
        if (usesHandler) {
            leave(cell, grasp);
        }
        throw failure;
    }

    /** As {@link #awaitInTime}. Without memory for a timer the handler has all the time it wants, like any other. */
    private boolean await(Cell cell, StandInThread mine, StandInRun grasp) {
        try {
            return awaitInTime(cell, mine, grasp);
        } catch (Throwable noTimer) {
            while (!grasp.hasEnded()) { // the next message must not begin beside it
                pause(mine);
            }
            return false;
        }
    }

    /**
     * Waits until the handler has ended, or it has not though it was interrupted for that. Whether it was a forced stop
     * that it was interrupted for.
     */
    private boolean awaitInTime(Cell cell, StandInThread mine, StandInRun grasp) {
        var time = cell.spec().scope().time();
        var companion = cell.extendedState();
        var left = limit.nanos();
        do {
            try (var alarm = new Alarm(time, left)) {
                while (!alarm.hasRung() && !companion.forced) {
                    if (grasp.hasEnded()) {
                        return false;
                    }
                    pause(mine);
                }
            }
            while (grasp.isToBegin()) { // its time begins then; until then there is nothing to abandon
                pause(mine);
            }
            left = limit.nanos() - grasp.nanos();
        } while (left > 0 && !companion.forced);
        var forced = companion.forced;
        // mutant: interrupt-of-a-stand-in-is-not-passed-on
        Thread.interrupted(); // it is passed on now
        mine.interrupt();
        try (var alarm = new Alarm(time, limit.graceNanos())) {
            while (!alarm.hasRung() && !grasp.hasEnded()) {
                pause(mine);
            }
        }
        return forced;
    }

    /** Waits for something to happen. */
    private void pause(StandInThread mine) {
        Interleave.here();
        if (Thread.interrupted()) {
            mine.interrupt();
        } else if (boundedPool && !mine.waits()) {
            LockSupport.park(this); // its place in the pool is taken: by the hand
        } else {
            Parking.park(this);
        }
    }

    /** Gives the handler up; false if it has ended in the last moment. */
    private boolean abandon(Cell cell, StandInThread mine, StandInRun grasp) {
        var abandoned = cell.spec().scope().abandoned();
        abandoned.put(mine, cell);
        while (!grasp.abandon()) {
            pause(mine);
        }
        if (grasp.isAbandoned()) {
            return true;
        }
        abandoned.remove(mine);
        return false;
    }

    private HandlerAbandonedException failure(Cell cell, StandInThread mine, StandInRun grasp,
            boolean forced) {
        var nanos = grasp.nanos();
        var thread = mine.thread;
        var stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        var failure = new HandlerAbandonedException("actor '" + cell.name()
                + "' has worked on a message of " + grasp.message.getName() + " for " + Durations.text(nanos)
                + ", did not end within " + Durations.text(limit.graceNanos())
                + " after it was interrupted " + (forced ? "by a forced stop" : "for that")
                + ", and was abandoned" + TimeoutDetails.place(stack) + TimeoutDetails.waits(cell)
                + "; let its handler end when it is interrupted, or allow it more than "
                + Durations.text(limit.nanos()), cell.name(), Duration.ofNanos(nanos));
        failure.setStackTrace(stack);
        return failure;
    }

    /** What was made for the handler is still in its hands: it is closed when that lets go of it. */
    private void leave(Cell cell, StandInRun grasp) {
        var left = inner.abandon();
        if (left != null && !grasp.leaveToClose(left)) {
            Termination.runHook(cell, new ClosingHook(left::close));
        }
    }
}
