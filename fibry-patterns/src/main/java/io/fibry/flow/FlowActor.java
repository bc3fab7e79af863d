package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * An actor that publishes values while it handles messages. It can be the subscriber of one publisher, whose values are then
 * its messages, and messages can be sent to it.
 *
 * <pre>{@code
 * var averages = FlowActor.<Reading, Double>open(scope, "averages", FlowOptions.usual(),
 *         (reading, output) -> output.yield(average.add(reading)));
 * averages.subscribe(display);
 * averages.sendMessage(reading);
 * }</pre>
 *
 * <p>A value goes to those who are subscribed at the moment, each with a buffer of the {@linkplain FlowOptions#capacity()
 * capacity}. A full buffer meets the {@linkplain FlowOptions#overflow() policy}; by default the handler waits for the
 * slowest subscriber, and therefore the actor runs on a fiber unless {@link FlowOptions#withActors} chooses another strategy.
 * On {@link io.fibry.CreationStrategy#caller()} the handler would wait on the thread of a sender, which may be the one that is
 * to request values, and would then wait for ever.
 *
 * <p>As a subscriber it requests values when the first subscriber has come, and no more than the capacity. If its last
 * subscriber cancels, it cancels its own subscription and stops when its messages are handled. An actor that has not subscribed
 * to anything goes on.
 *
 * <p>The values end when the publisher has ended, or {@link #complete} was called, and the messages are handled. The subscribers
 * then get the end. If the publisher fails, they get its failure, which overtakes values that they have not requested. If the
 * actor stops before, they get an {@link io.fibry.ActorStoppedException}. The values also end with a failure if the mailbox that
 * {@link FlowOptions#withActors} has chosen refuses or drops a value of the publisher.
 *
 * <p>The actor keeps the rules of Reactive Streams. All its methods may be called by any threads at a time, except that the
 * publisher makes the calls of a subscriber one after another. What a thread does before it sends a message <i>happens-before</i> the
 * handling of the message, and what the handler does before it yields a value <i>happens-before</i> the subscribers get the
 * value. Programs do not implement this interface.
 *
 * @param <M> type of the messages
 * @param <T> type of the values that are published
 */
public interface FlowActor<M, T> extends Flow.Processor<M, T>, AutoCloseable {
    /**
     * Makes an actor that publishes.
     *
     * @param <M> type of the messages
     * @param <T> type of the values that are published
     * @param scope the scope
     * @param name its name in reports
     * @param options the options
     * @param handler what it does with a message
     * @return the actor
     * @throws IllegalStateException if the scope is closed
     */
    static <M, T> FlowActor<M, T> open(ActorScope scope, String name, FlowOptions options,
            FlowHandler<M, T> handler) {
        return new ProcessingActor<>(scope, name, options, handler);
    }

    /**
     * Sends a message, as {@link io.fibry.Actor#sendMessage(Object)} does.
     *
     * @param message the message
     * @return true if it was accepted
     */
    boolean sendMessage(M message);

    /** Ends the values when the messages that are queued now have been handled. Does not wait. */
    void complete();

    /**
     * Returns how many subscriptions there are at the moment.
     *
     * @return their number
     */
    int subscriptions();

    /**
     * Stops the actor. Its subscribers get the values that wait for them, as far as they have requested them, and then an {@link
     * io.fibry.ActorStoppedException}. The actor handles the messages that it has, until the deadline. Call this method, or
     * {@link #close}, also after the end of the values: until then a late subscriber is told of the end.
     *
     * @param deadline how long that may take; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Stops the actor at once: its handler is interrupted, and messages that wait are not handled. Subscribers are told as {@link
     * #stop} tells them.
     */
    @Override
    void close();

    /**
     * Returns a future of the end of the actor.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /**
     * Returns what became of the messages.
     *
     * @return the counts
     */
    Counters counters();
}
