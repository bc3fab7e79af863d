package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;

/**
 * Topics with names. A topic is made when its name is first used. A subscriber may subscribe to one topic, or to all topics
 * whose names begin in the same way, those that are made later included:
 *
 * <ul>
 * <li>{@code market.tea} is the topic of that name.
 * <li>{@code market.*} is a pattern: all topics whose names begin with {@code market.}
 * <li>{@code *} is the pattern of all topics.
 * </ul>
 *
 * <p>An asterisk is allowed at the end of a pattern only, and in no name. Objects are thread-safe; publishing to a topic that
 * exists takes no lock. Programs do not implement this interface.
 *
 * <p>A subscriber of a pattern gets the messages of one publisher to all its topics in the order in which they were
 * published.
 *
 * @param <M> type of the messages of all topics
 */
public interface Topics<M> extends AutoCloseable {
    /**
     * Opens a set of topics. It ends with the scope.
     *
     * @param <M> type of the messages
     * @param scope the scope in which the topics open a scope for their actors
     * @param name the name of the set in reports, not blank; several sets of one scope may have the same name
     * @param options the options
     * @return the topics
     * @throws IllegalStateException if the scope is closed
     */
    static <M> Topics<M> open(ActorScope scope, String name, TopicOptions options) {
        return new LiveTopics<>(scope, name, options);
    }

    /**
     * Finds a topic by its name, or makes it.
     *
     * @param name the name, not blank and without an asterisk
     * @return the topic
     * @throws IllegalStateException if the topics are closed, or there are as many as the options allow
     */
    Topic<M> topic(String name);

    /**
     * Finds a topic by its name.
     *
     * @param name the name
     * @return the topic; empty if there is none, as there is none with a pattern or a blank text for a name
     */
    Optional<Topic<M>> find(String name);

    /**
     * Returns the names of the topics that there are.
     *
     * @return an immutable set in alphabetical order
     */
    SortedSet<String> names();

    /**
     * Publishes a message to a topic, as {@link Topic#publish} does. If the topics are closed, the message goes to no
     * subscriber.
     *
     * @param topic the name of the topic
     * @param message the message
     * @return how many subscribers have taken the message
     * @throws MailboxFullException if a mailbox is full and its policy is to fail
     * @throws IllegalStateException if there is no such topic, and there are as many as the options allow
     */
    int publish(String topic, M message);

    /**
     * Subscribes a handler to a topic or to a pattern.
     *
     * @param pattern the name of a topic, or a pattern
     * @param handler what to do with a message
     * @return the subscription
     * @throws IllegalStateException if the topics are closed
     */
    default Subscription subscribe(String pattern, TopicHandler<? super M> handler) {
        return subscribe(pattern, SubscriberOptions.defaults(), handler);
    }

    /**
     * Subscribes a handler to a topic or to a pattern. If a subscriber of a pattern wants the last message, it first gets
     * that of each topic, in the order of their names. If some of these calls of the handler throw, that is reported as one
     * failure; the subscriber gets all of them.
     *
     * @param pattern the name of a topic, or a pattern
     * @param options the options of the subscriber
     * @param handler what to do with a message
     * @return the subscription
     * @throws IllegalStateException if the topics are closed
     * @throws IllegalArgumentException if the pattern has an asterisk that is not at its end, or the subscriber wants the
     *     last message and the topics do not keep it
     */
    Subscription subscribe(String pattern, SubscriberOptions options, TopicHandler<? super M> handler);

    /**
     * Subscribes an actor to a topic or to a pattern. The actor gets the messages without the names of their topics; a handler
     * can send it others, with the names. All else is as for {@link Topic#subscribe(Actor)}.
     *
     * @param pattern the name of a topic, or a pattern
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the topics are closed
     */
    default Subscription subscribe(String pattern, Actor<? super M, ?> actor) {
        return subscribe(pattern, SubscriberOptions.defaults(), actor);
    }

    /**
     * Subscribes an actor to a topic or to a pattern, as {@link Topic#subscribe(SubscriberOptions, Actor)} does.
     *
     * @param pattern the name of a topic, or a pattern
     * @param options the options of the subscriber
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the topics are closed
     * @throws IllegalArgumentException if the pattern is wrong, or the last message is wanted and not kept
     */
    Subscription subscribe(String pattern, SubscriberOptions options, Actor<? super M, ?> actor);

    /**
     * Returns how many subscriptions there are. A subscription to a pattern counts once.
     *
     * @return the number
     */
    int subscriptions();

    /**
     * Returns what became of the messages for all subscribers, those that have ended included. A message counts once for
     * each subscriber. A message that was published to a closed topic counts as refused.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Closes all topics: the subscriptions end when their handlers have handled what waits.
     *
     * @param deadline how long the handlers may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Closes all topics, with the close time-out of the scope as the deadline. */
    @Override
    void close();

    /**
     * Returns a future of the end of the topics.
     *
     * @return the future, which completes when the topics are closed, also by the end of their scope
     */
    CompletableFuture<StopReport> onStopped();
}
