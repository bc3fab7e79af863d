package io.fibry.time;

import java.time.Duration;

/**
 * Timers of one actor, each under a key. They send the actor a message; setting a key again replaces the
 * earlier timer, and no message of a replaced or cancelled timer is handled after that, even if it was in
 * the mailbox already. All end with the actor. Use them on the actor's own thread only.
 *
 * @param <M> type of the messages
 */
public interface Timers<M> {
    /**
     * Sends a message once.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param delay how long from now
     * @param message the message
     */
    void once(Object key, Duration delay, M message);

    /**
     * Sends a message again and again, each one {@code period} after the one before was handled.
     *
     * @param key names the timer; an earlier timer of that key is cancelled
     * @param period how long from now, and then from one to the next; more than zero
     * @param message the message
     */
    void every(Object key, Duration period, M message);

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
