package io.fibry.time;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * The source of time of an actor scope. Tests replace it by a {@link ManualTime}, which they move by hand.
 * Implementations are thread-safe.
 */
public interface TimeSource {
    /**
     * Returns the time of a clock that only moves forward. Its origin has no meaning.
     *
     * @return the time in nanoseconds
     */
    long nanoTime();

    /**
     * Returns the clock for the time of day, for schedules that begin at a certain moment. It may be set back and
     * forth.
     *
     * @return the clock; by default the clock of the system, in UTC
     */
    default Clock clock() {
        return Clock.systemUTC();
    }

    /**
     * Runs a task later. The task must be short and must not block.
     *
     * @param delayNanos the delay; if it is zero or less, the task is due now
     * @param task the task
     * @return a handle to cancel it
     */
    Cancellable schedule(long delayNanos, Runnable task);

    /**
     * Adds an activity that works by this time. A scope that is opened calls this method. A time source that moves by
     * itself waits for no activity, so its method does nothing.
     *
     * @param activity the activity
     * @return an object that removes the activity
     */
    default Cancellable follow(Activity activity) {
        return () -> false;
    }

    /**
     * Code that goes by a time source, such as the actors of a scope. A time source that is moved by hand
     * waits until it is at rest, between one moment and the next. Implementations are thread-safe.
     */
    @FunctionalInterface
    interface Activity {
        /**
         * Waits until no code is at work that could still set a timer or read the clock. An activity may give work to another
         * one that was found at rest before, so several are at rest if none of them has done anything since it was found so.
         *
         * @param limit how long to wait, in real time
         * @param again whether the caller has called this method a moment ago: handlers that did not count as at work
         *     then, and have done nothing since, still do not
         * @return for how long it has waited, in real time; zero if nothing was done since the last call has ended
         * @throws TimeoutException if the limit is over; the message tells what is at work
         * @throws InterruptedException if the calling thread is interrupted
         */
        Duration awaitRest(Duration limit, boolean again) throws InterruptedException, TimeoutException;
    }
}
