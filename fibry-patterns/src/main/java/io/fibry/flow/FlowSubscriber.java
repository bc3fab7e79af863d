package io.fibry.flow;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A subscriber of one publisher that gives the values to an actor. It requests as many values as there is room for: no more
 * than the {@linkplain FlowOptions#capacity() capacity} are requested and not handled yet. A value that has been handled gives
 * its place back; the publisher learns of it in groups of half the capacity.
 *
 * <p>A subscriber keeps the rules of Reactive Streams. If a publisher breaks them and sends more values than were requested,
 * the subscription is cancelled, and {@link #onEnd} fails with an {@link IllegalStateException}. What the publisher does
 * before {@code onNext} <i>happens-before</i> the handling of the value. All methods may be called by any threads at a time,
 * except that the publisher makes its calls one after another, by the rules. Programs do not implement this interface.
 *
 * @param <T> type of the values
 */
public interface FlowSubscriber<T> extends Flow.Subscriber<T>, AutoCloseable {
    /**
     * Makes a subscriber with an actor of its own. The actor stops when it has handled all values of the stream. A failure of
     * the handler is one of the actor: it is reported, and the policy decides whether the actor goes on. If the actor
     * stops before the end of the stream, or if the mailbox that {@link FlowOptions#withActors} has chosen refuses or drops a
     * value, the subscription is cancelled, and {@link #onEnd} fails.
     *
     * @param <T> type of the values
     * @param scope the scope
     * @param name the name of the actor
     * @param options the options
     * @param handler what it does with a value
     * @return the subscriber
     * @throws IllegalStateException if the scope is closed
     * @throws IllegalArgumentException if the name is taken
     */
    static <T> FlowSubscriber<T> open(ActorScope scope, String name, FlowOptions options,
            Handler<T> handler) {
        return ActorSubscriber.open(scope, name, options, handler);
    }

    /**
     * Makes a subscriber that sends the values to an actor of the program, which also has other senders, and may be the
     * target of several subscribers. No more than the capacity of the options are in its mailbox at a time. If the
     * actor refuses or drops a value, or stops, the subscription is cancelled, and {@link #onEnd} fails. When the
     * stream has ended, the actor goes on.
     *
     * @param <T> type of the values
     * @param actor the actor
     * @param options the options; only the capacity has a meaning here
     * @return the subscriber
     */
    static <T> FlowSubscriber<T> of(Actor<T, ?> actor, FlowOptions options) {
        return ActorSubscriber.of(actor, options);
    }

    /**
     * Returns a future of the end of the stream. It completes when the stream has ended and the actor has handled all
     * its values. It fails with the failure of the stream; with an {@link io.fibry.ActorStoppedException} if the actor
     * has stopped before; with an {@link io.fibry.ActorException} if a value was refused or dropped; with an {@link
     * java.util.concurrent.CancellationException} if the subscriber was closed before. Each call returns another future.
     *
     * @return the future
     */
    CompletableFuture<Void> onEnd();

    /**
     * Cancels the subscription. The actor that {@link #open} has made handles the values that it has, until the deadline, and
     * stops; another actor goes on.
     *
     * @param deadline how long the actor may take; not negative
     * @return how the stop went; a report without a stop for an actor of the program
     */
    StopReport stop(Duration deadline);

    /** Cancels the subscription, and stops the actor that {@link #open} has made when it has handled what it has. */
    @Override
    void close();

    /**
     * Returns what became of the messages of the actor. The beginning and the end of the stream are no messages.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Returns a future of the end of the actor that {@link #open} has made, or of the end of the stream for an actor of the
     * program.
     *
     * @return the future of a report
     */
    CompletableFuture<StopReport> onStopped();
}
