package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.AskCycleException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A topic: each message that is published goes to each subscriber. Objects are thread-safe; publishing takes no lock. What
 * a thread does before it publishes a message <i>happens-before</i> a handler gets the message. Programs do not implement
 * this interface.
 *
 * <p>Each subscriber gets the messages of one publisher in the order in which they were published. Messages of
 * different publishers have no order, and two subscribers may see them in different orders. Handlers that share a state are one
 * subscriber: an actor, which can subscribe to many topics.
 *
 * @param <M> type of the messages
 */
public interface Topic<M> extends AutoCloseable {
    /**
     * Opens a topic. It ends with the scope.
     *
     * @param <M> type of the messages
     * @param scope the scope in which the topic opens a scope for its actors
     * @param name the name, not blank and without an asterisk
     * @param options the options
     * @return the topic
     * @throws IllegalStateException if the scope is closed
     */
    static <M> Topic<M> open(ActorScope scope, String name, TopicOptions options) {
        return LiveTopics.single(scope, name, options);
    }

    /**
     * Returns the name of the topic.
     *
     * @return the name
     */
    String name();

    /**
     * Publishes a message and does not wait for its handlers, with these exceptions: handlers on {@link
     * io.fibry.CreationStrategy#caller()} run before this method returns, and a full mailbox whose policy is to block
     * makes the publisher wait. Mailboxes that do not block get the message first.
     *
     * <p>If the topic is closed, the message goes to no subscriber.
     *
     * @param message the message
     * @return how many subscribers have taken the message
     * @throws MailboxFullException if a mailbox is full and its policy is to fail; all others were offered the message
     */
    int publish(M message);

    /**
     * Publishes a message as {@link #publish} does, and returns a future of what becomes of it. The future completes when
     * each subscriber has handled the message or will not do so, and never with an exception. Where a policy to fail would
     * throw, the message is refused.
     *
     * @param message the message
     * @return the future of the fates
     */
    CompletableFuture<Publication> publishTracked(M message);

    /**
     * Publishes a message, and waits until each subscriber has handled it or will not do so.
     *
     * @param message the message
     * @return what became of the message
     * @throws InterruptedException if the calling thread was interrupted while it waited; the message is published
     *     nevertheless
     * @throws AskCycleException if the calling thread runs a handler that the call would wait for
     */
    Publication publishAndWait(M message) throws InterruptedException;

    /**
     * Subscribes a handler.
     *
     * @param handler what to do with a message
     * @return the subscription
     * @throws IllegalStateException if the topic is closed
     */
    default Subscription subscribe(Handler<? super M> handler) {
        return subscribe(SubscriberOptions.defaults(), handler);
    }

    /**
     * Subscribes a handler. When this method has returned, the handler gets each message that is published.
     *
     * @param options the options of the subscriber
     * @param handler what to do with a message
     * @return the subscription
     * @throws IllegalStateException if the topic is closed
     * @throws IllegalArgumentException if the subscriber wants the last message and the topic does not keep it
     */
    Subscription subscribe(SubscriberOptions options, Handler<? super M> handler);

    /**
     * Subscribes an actor. Its mailbox takes the messages; if that is full, its policy decides. The subscription ends when
     * the actor stops. An actor that subscribes twice gets each message twice.
     *
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the topic is closed
     */
    default Subscription subscribe(Actor<? super M, ?> actor) {
        return subscribe(SubscriberOptions.defaults(), actor);
    }

    /**
     * Subscribes an actor. If the options have a mailbox, or the subscriber wants the last message, an actor of the topic
     * stands between: it takes the messages and sends them on.
     *
     * @param options the options of the subscriber
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the topic is closed
     * @throws IllegalArgumentException if the subscriber wants the last message and the topic does not keep it
     */
    Subscription subscribe(SubscriberOptions options, Actor<? super M, ?> actor);

    /**
     * Returns how many subscribers the topic has, those of a pattern included.
     *
     * @return the number
     */
    int subscribers();

    /**
     * Returns the last message that was published.
     *
     * @return the message; empty if there is none, and if the topic does not keep it
     */
    Optional<M> last();

    /**
     * Returns what became of the messages for the subscribers by the name of this topic, those that have ended included.
     * A message counts once for each subscriber. A message that was published when the topic was closed counts as refused.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Closes the topic: its subscriptions end when their handlers have handled what waits. If the topic is one of several, a
     * message that is published to its name later goes to a new topic. If a handler of the topic calls this method, it does
     * not wait for that handler.
     *
     * @param deadline how long the handlers may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Closes the topic, with the close time-out of the scope as the deadline. */
    @Override
    void close();

    /**
     * Returns a future of the end of the topic.
     *
     * @return the future, which completes when the topic is closed, also by the end of its scope
     */
    CompletableFuture<StopReport> onStopped();
}
