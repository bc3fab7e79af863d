package io.fibry.time;

import java.time.Clock;

/**
 * Where an actor scope takes its time from. Tests put a {@link ManualTime} in its place, which they move by hand.
 * Implementations are thread-safe.
 */
public interface TimeSource {
    /**
     * A clock that only moves forward; its origin means nothing.
     *
     * @return the time in nanoseconds
     */
    long nanoTime();

    /**
     * The time of day, for what is to happen at a certain moment. It may be set back and forth.
     *
     * @return the clock; the system's, in UTC, if an implementation says nothing else
     */
    default Clock clock() {
        return Clock.systemUTC();
    }

    /**
     * Runs a task later. The task is short and does not block.
     *
     * @param delayNanos how much later; not after now if zero or less
     * @param task what to run
     * @return a handle to cancel it
     */
    Cancellable schedule(long delayNanos, Runnable task);

    /**
     * Tells of something that works by this time. A scope that is opened does this. A time that goes by itself waits for
     * nobody, and has nothing to do here.
     *
     * @param activity what works
     * @return takes it away again
     */
    default Cancellable follow(Activity activity) {
        return () -> false;
    }
}
