package io.fibry.internal.actor;

import org.jspecify.annotations.Nullable;

/**
 * What the kernel gets from features, which it does not know. One object serves all actors.
 */
public interface Features {
    /** Returns the supervision of an actor that had none. */
    Supervision newSupervision();

    /**
     * Decides what happens to an actor that has failed. The decision is carried out at once, unless it is
     * returned.
     *
     * @param turn the turn of the actor
     * @param failure what it has failed with
     * @param atStart whether the handler could not be made
     * @param canGoOn whether there is a handler that could take the next message
     * @return what is to be done before the next message; null if nothing is
     */
    @Nullable Recovery decide(Turn turn, Throwable failure, boolean atStart, boolean canGoOn);

    /** Returns the timers of an actor that had none. */
    TimerSet newTimers(Cell cell);
}
