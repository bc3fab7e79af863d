package io.fibry.time;

/**
 * Where an actor scope takes its time from. Tests put a clock in its place that they move by hand.
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
     * Runs a task later. The task is short and does not block.
     *
     * @param delayNanos how much later; not after now if zero or less
     * @param task what to run
     * @return a handle to cancel it
     */
    Cancellable schedule(long delayNanos, Runnable task);
}
