package io.fibry.topic;

import io.fibry.ActorBuilder;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The options of topics.
 *
 * @param delivery who delivers the messages to handlers
 * @param mailbox how many messages may wait, for each subscriber and for each actor that delivers, and what happens to one
 *     more
 * @param keepsLast whether a topic keeps its last message for later subscribers
 * @param mostTopics how many topics there may be at a time
 * @param parallelism how many messages of a subscriber are handled at a time with {@link Delivery#PER_MESSAGE}
 * @param actors changes the builder of each actor that delivers or handles messages; the mailbox is chosen afterwards, and
 *     so is the strategy of handlers that others run
 */
public record TopicOptions(Delivery delivery, MailboxPolicy mailbox, boolean keepsLast, int mostTopics,
        int parallelism, UnaryOperator<ActorBuilder> actors) {
    private static final int WAITING = 1024;
    private static final int TOPICS = 10_000;
    private static final int PARALLELISM = 16;
    private static final TopicOptions DEFAULTS = new TopicOptions(Delivery.PER_SUBSCRIBER,
            MailboxPolicy.bounded(WAITING, OverflowPolicy.dropOldest()), false, TOPICS, PARALLELISM,
            UnaryOperator.identity());

    /**
     * Checks the numbers.
     *
     * @param delivery not null
     * @param mailbox not null
     * @param mostTopics at least one
     * @param parallelism at least one
     * @param actors not null
     */
    public TopicOptions {
        Objects.requireNonNull(delivery, "delivery");
        Objects.requireNonNull(mailbox, "mailbox");
        Objects.requireNonNull(actors, "actors");
        if (mostTopics < 1) {
            throw new IllegalArgumentException("mostTopics must be at least 1: " + mostTopics);
        }
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism must be at least 1: " + parallelism);
        }
    }

    /**
     * Returns the common options: an actor for each subscriber, 1,024 messages may wait for it, then the oldest one is
     * dropped; no last message is kept; up to 10,000 topics; 16 messages at a time if each has a thread of its own.
     *
     * @return the options
     */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same options with another way to deliver.
     *
     * @param way who delivers the messages
     * @return the new options
     */
    public TopicOptions withDelivery(Delivery way) {
        return new TopicOptions(way, mailbox, keepsLast, mostTopics, parallelism, actors);
    }

    /**
     * Returns the same options with another mailbox. If the policy is to {@linkplain OverflowPolicy#fail() fail}, the
     * message is offered to all other subscribers before the publisher gets the exception.
     *
     * @param policy how many messages may wait, and what happens to one more
     * @return the new options
     */
    public TopicOptions withMailbox(MailboxPolicy policy) {
        return new TopicOptions(delivery, policy, keepsLast, mostTopics, parallelism, actors);
    }

    /**
     * Returns the same options for topics that keep their last message. A subscriber that is {@linkplain
     * SubscriberOptions#withLast() interested} gets it first.
     *
     * @return the new options
     */
    public TopicOptions keepingLast() {
        return new TopicOptions(delivery, mailbox, true, mostTopics, parallelism, actors);
    }

    /**
     * Returns the same options with another limit of topics.
     *
     * @param most how many topics there may be at a time
     * @return the new options
     */
    public TopicOptions withMostTopics(int most) {
        return new TopicOptions(delivery, mailbox, keepsLast, most, parallelism, actors);
    }

    /**
     * Returns the same options with another number of messages that a subscriber handles at a time, for {@link
     * Delivery#PER_MESSAGE}.
     *
     * @param most how many messages
     * @return the new options
     */
    public TopicOptions withParallelism(int most) {
        return new TopicOptions(delivery, mailbox, keepsLast, mostTopics, most, actors);
    }

    /**
     * Returns the same options for other actors, for example on another strategy or with another failure policy. This
     * replaces an earlier call.
     *
     * @param change changes the builder of an actor
     * @return the new options
     */
    public TopicOptions withActors(UnaryOperator<ActorBuilder> change) {
        return new TopicOptions(delivery, mailbox, keepsLast, mostTopics, parallelism, change);
    }
}
