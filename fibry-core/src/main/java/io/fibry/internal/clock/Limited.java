package io.fibry.internal.clock;

/** What is to end when its time is over, unless it is done before. */
public interface Limited {
    /** Returns when the time is over, by the clock of the limits. The value does not change. */
    long due();

    /**
     * Ends what the limit is for. Called on the timer thread, once, unless the limit was cancelled before. It only
     * decides and wakes threads, since the timers of all wait meanwhile. If there is not enough memory for that, it may
     * throw an {@link OutOfMemoryError}, and is called again soon.
     */
    void expire();
}
