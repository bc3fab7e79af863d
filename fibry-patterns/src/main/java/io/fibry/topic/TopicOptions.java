package io.fibry.topic;

import io.fibry.ActorBuilder;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of topics.
 *
 * @param mailbox how many messages may wait for each subscriber, and what happens to one more
 * @param keepsLast whether a topic keeps its last message for later subscribers
 * @param mostTopics how many topics there may be at a time
 * @param actors changes the builder of the actor of each subscriber; the mailbox is chosen afterwards
 */
public record TopicOptions(MailboxPolicy mailbox, boolean keepsLast, int mostTopics,
        UnaryOperator<ActorBuilder> actors) {
    private static final int WAITING = 1024;
    private static final int TOPICS = 10_000;
    private static final TopicOptions DEFAULTS = new TopicOptions(
            MailboxPolicy.bounded(WAITING, OverflowPolicy.dropOldest()), false, TOPICS,
            UnaryOperator.identity());

    /**
     * Checks the numbers.
     *
     * @param mailbox not null
     * @param mostTopics at least one
     * @param actors not null
     */
    public TopicOptions {
        Objects.requireNonNull(mailbox, "mailbox");
        Objects.requireNonNull(actors, "actors");
        if (mostTopics < 1) {
            throw new IllegalArgumentException("mostTopics must be at least 1: " + mostTopics);
        }
    }

    /**
     * Returns the common options: an actor for each subscriber, 1,024 messages may wait for it, then the oldest one is
     * dropped; no last message is kept; up to 10,000 topics.
     *
     * @return the options
     */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same options with another mailbox. If the policy is to {@linkplain OverflowPolicy#fail() fail}, the
     * message is offered to all other subscribers before the publisher gets the exception.
     *
     * @param policy how many messages may wait, and what happens to one more
     * @return the new options
     */
    public TopicOptions withMailbox(MailboxPolicy policy) {
        return new TopicOptions(policy, keepsLast, mostTopics, actors);
    }

    /**
     * Returns the same options for topics that keep their last message. A subscriber that is {@linkplain
     * SubscriberOptions#withLast() interested} gets it first.
     *
     * @return the new options
     */
    public TopicOptions keepingLast() {
        return new TopicOptions(mailbox, true, mostTopics, actors);
    }

    /**
     * Returns the same options with another limit of topics.
     *
     * @param most how many topics there may be at a time
     * @return the new options
     */
    public TopicOptions withMostTopics(int most) {
        return new TopicOptions(mailbox, keepsLast, most, actors);
    }

    /**
     * Returns the same options for other actors, for example on another strategy or with another failure policy. On
     * {@link io.fibry.CreationStrategy#caller()} the thread that publishes runs the handlers, one after another, so a
     * slow handler delays the publisher. This method replaces an earlier call.
     *
     * @param change changes the builder of an actor
     * @return the new options
     */
    public TopicOptions withActors(UnaryOperator<ActorBuilder> change) {
        return new TopicOptions(mailbox, keepsLast, mostTopics, change);
    }
}
