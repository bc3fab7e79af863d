package io.fibry.internal.actor;

import io.fibry.internal.run.Runner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A thread that handles a message for a turn, which waits for it. A {@link Turn} that is a guest
 * represents the actor on this thread. The actor may go on without the thread; from then on the thread cannot
 * act for that actor.
 *
 * <p>All methods but {@link #stack} are called by the thread itself.
 */
public abstract class StandIn extends Runner {
    public StandIn() {
        super(null);
    }

    /** Returns the stand-in that works for this actor, if it is the calling thread; null otherwise. */
    public static @Nullable StandIn of(Cell cell) {
        return Current.runner() instanceof StandIn mine && mine.worksFor(cell) ? mine : null;
    }

    public abstract boolean worksFor(Cell cell);

    /** Returns whether this guest represents the actor that the thread works for. */
    public abstract boolean isStoodForBy(Turn guest);

    /** Returns whether the actor has gone on without the thread. */
    public abstract boolean isGone();

    /** Throws if the actor has gone on without the thread. */
    public abstract void requireHeld();

    /**
     * Begins what only the actor may do, until {@link #endInside}; throws if the actor has gone on without the thread.
     */
    public abstract void beginInside();

    /** As {@link #beginInside}, but returns false if the actor has gone on without the thread. */
    public abstract boolean beginInsideIfHeld();

    public abstract void endInside();

    /** Publishes what the actor waits for on this thread; null if it does not wait any more. */
    public final void waits(Cell actor, @Nullable Waiting now) {
        if (now == null) {
            actor.extendedState().clearEdge();
        } else {
            actor.extendedState().waiting = now;
        }
    }

    /** Publishes what the actor waits for, unless the actor has gone on without the thread. */
    final void publish(Cell actor, @Nullable Waiting edge) {
        if (beginInsideIfHeld()) {
            try {
                actor.extendedState().waiting = edge;
            } finally {
                endInside();
            }
        }
    }

    /**
     * Lends the thread to the turn of another actor, which runs on top of the handler. The handler is not interrupted
     * until {@link #endLoan}.
     *
     * @return what to pass to {@code endLoan}
     */
    public abstract boolean beginLoan();

    public abstract void endLoan(boolean interrupted);

    /** Notes that the handler begins to wait in a method of the library. Such waits nest. */
    public abstract void beginWait();

    public abstract void endWait();

    /** Returns the answer that the handler has to give in time; null if it has no limit. */
    public abstract @Nullable TimeLimit deadline();

    public abstract void deadline(@Nullable TimeLimit deadline);

    /** Returns what the thread does at the moment. Called by any thread. */
    public abstract List<StackTraceElement> stack();
}
