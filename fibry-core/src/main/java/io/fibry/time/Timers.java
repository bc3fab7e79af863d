package io.fibry.time;

import java.time.Duration;

/**
 * Timers of one actor, each under a key. They send the actor a message; setting a key again replaces the
 * earlier timer, and no message of a replaced or cancelled timer is handled after that, even if it was in
 * the mailbox already. All end with the actor. Of one timer there is never more than one message in the mailbox. Use
 * them on the actor's own thread only; the handles that they return are for any thread.
 *
 * @param <M> type of the messages
 */
public interface Timers<M> {
    /**
     * Sends a message by a schedule.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param schedule when
     * @param message the message
     * @return the timer's handle; it is over already if the actor is about to stop
     */
    Scheduled set(Object key, Schedule schedule, M message);

    /**
     * Sends a message once.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param delay how long from now
     * @param message the message
     * @return the timer's handle
     */
    default Scheduled once(Object key, Duration delay, M message) {
        return set(key, Schedule.once(delay), message);
    }

    /**
     * Sends a message again and again at a {@linkplain Schedule.Kind#FIXED_RATE fixed rate}.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param period how long from now, and then from one to the next; more than zero
     * @param message the message
     * @return the timer's handle
     */
    default Scheduled fixedRate(Object key, Duration period, M message) {
        return set(key, Schedule.fixedRate(period), message);
    }

    /**
     * Sends a message again and again, each one {@code delay} after the one before was handled.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param delay how long from now, and then from the end of one to the next; more than zero
     * @param message the message
     * @return the timer's handle
     */
    default Scheduled fixedDelay(Object key, Duration delay, M message) {
        return set(key, Schedule.fixedDelay(delay), message);
    }

    /**
     * Cancels a timer.
     *
     * @param key its name
     * @return true if there was such a timer
     */
    boolean cancel(Object key);

    /**
     * Whether a timer is set.
     *
     * @param key its name
     * @return true if it will still send
     */
    boolean isSet(Object key);
}
