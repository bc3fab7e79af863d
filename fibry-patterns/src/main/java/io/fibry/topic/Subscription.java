package io.fibry.topic;

import io.fibry.Counters;

/**
 * A subscription to a topic, to several topics, or to something that can be observed. Objects are thread-safe. Programs do
 * not implement this interface.
 *
 * <p>A subscription ends when it is closed, when the actor that handles its messages stops, and when its topic or its
 * observable is closed.
 */
public interface Subscription extends AutoCloseable {
    /**
     * Returns the name of the subscriber in reports: what is subscribed to, a slash, the name that was given, and a number.
     *
     * @return the name, which is unique among the subscribers of the same topics
     */
    String name();

    /**
     * Returns the name of the topic, the pattern of several topics, or the name of the observable.
     *
     * @return the source of the messages
     */
    String source();

    /**
     * Tells whether the subscriber gets messages that are published now.
     *
     * @return false once the subscription has ended
     */
    boolean isActive();

    /**
     * Returns what became of the messages for this subscriber. Each message is in one count only. The numbers are exact
     * while nothing moves.
     *
     * <ul>
     * <li>{@code handled}: the handler has returned, or the actor that subscribes has taken the message.
     * <li>{@code failed}: the handler has thrown.
     * <li>{@code dropped}: dropped by the policy of the mailbox; or, of something that is observed, replaced by a later
     *     change.
     * <li>{@code refused}: a full mailbox has refused the message, or the actor that subscribes has.
     * <li>{@code undelivered}: the subscription, or its actor, has ended before.
     * </ul>
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Ends the subscription. The handler is not called for any message that waits; these messages are counted as
     * undelivered. A call of the handler that has begun goes on. This method does not wait, so a handler may call it. A
     * second call has no effect. An actor that subscribes is not stopped, and handles what it has taken.
     */
    @Override
    void close();
}
