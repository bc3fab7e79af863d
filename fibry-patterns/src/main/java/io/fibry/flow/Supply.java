package io.fibry.flow;

import org.jspecify.annotations.Nullable;

/**
 * The values that wait for one subscription. One thread at a time takes them; any thread may add to them, end or cancel them.
 */
interface Supply<T> {
    /**
     * What is there at one moment.
     *
     * @param hasValue whether a value is there
     * @param isOver whether no value will be added to those that are there; this stays true
     * @param failure why it is over; null if it is not, or if it has ended as it should
     */
    record Look(boolean hasValue, boolean isOver, @Nullable Throwable failure) {
    }

    /** Takes the next value; null if none is there at the moment. */
    @Nullable T poll();

    /** Returns the present state. If it is over, all values that were added are visible. */
    Look look();

    /**
     * Asks to be woken by the next value and by the end. Returns false, and does not wake, if there is a value, or the end,
     * already.
     */
    boolean arm();

    /** Ends the values by a failure, unless they have ended. */
    void fail(Throwable failure);

    /** Lets the makers of values end. */
    void cancel();
}
