package io.fibry.time;

import java.time.Duration;

/**
 * The timers of one actor, each with a key. A timer sends messages to the actor. If a key is set again, the new timer replaces
 * the earlier one. No message of a timer that was replaced or cancelled is handled after that, even if it was in the mailbox
 * already. All timers end with the actor. The mailbox never holds more than one message of a timer.
 *
 * <p>Timers are used on the thread of the actor's handler only. The handles that they return are thread-safe.
 *
 * @param <M> type of the messages
 */
public interface Timers<M> {
    /**
     * Sends a message to the actor by a schedule.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param schedule when to send the message
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
     * @param key the key of the timer
     * @return true if there was such a timer
     */
    boolean cancel(Object key);

    /**
     * Tells whether a timer is set.
     *
     * @param key the key of the timer
     * @return true if the timer will send a message
     */
    boolean isSet(Object key);
}
