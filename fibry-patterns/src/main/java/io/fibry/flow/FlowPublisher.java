package io.fibry.flow;

import io.fibry.StopReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A publisher whose subscriptions are actors. {@link Flows} makes publishers. They keep the rules of Reactive Streams and pass
 * their compatibility kit. Programs do not implement this interface.
 *
 * <p>Each subscription has values of its own: its own run of a producer or of a pipeline, from the beginning, or its own
 * connection to a source that pushes, from the moment of the connection on. So a subscriber that comes late does not share
 * anything with earlier ones, and does not hold them up. A subscriber may subscribe to a publisher once at a time (rule 2.5);
 * one that subscribes twice gets two subscriptions.
 *
 * <p>Each subscription has an actor, which makes all calls of its subscriber, one after another. The actors, the producers and
 * the pipelines are in a scope of the publisher, inside the scope that was given. If a method of a subscriber throws, its
 * subscription is cancelled, and the failure is reported as a failure of its actor.
 *
 * <p>A subscription ends when its values have ended, when it is cancelled, when its subscriber throws or breaks a rule,
 * or when the publisher is closed. Nothing but {@link #stop}, {@link #close} and the end of the scope that was given
 * closes a publisher; it stays open while it has no subscribers. After that, a subscriber gets an {@link
 * IllegalStateException} by {@code onError}, from the thread that subscribes.
 *
 * <p>All methods may be called by any threads at a time, and so may the methods of the subscriptions. What the maker of a
 * value does before it hands the value over <i>happens-before</i> the call of {@code onNext}; what a thread does before {@code
 * subscribe} <i>happens-before</i> the call of {@code onSubscribe}; the end of one call of a subscriber <i>happens-before</i>
 * its next call. A subscription holds no thread while nothing is to be done for it, unless the strategy gives it one.
 *
 * @param <T> type of the values
 */
public interface FlowPublisher<T> extends Flow.Publisher<T>, AutoCloseable {
    /**
     * Adds a subscriber. This method does not wait for the values, and throws nothing but a {@link
     * NullPointerException} for null. A failure comes to the subscriber by {@code onError}, after {@code onSubscribe}:
     * an {@link IllegalStateException} if the publisher is closed.
     *
     * @param subscriber the subscriber
     */
    @Override
    void subscribe(Flow.Subscriber<? super T> subscriber);

    /**
     * Returns how many subscriptions there are at the moment.
     *
     * @return their number
     */
    int subscriptions();

    /**
     * Closes the publisher. No value is made any more. The subscribers get what waits for them, as far as they have requested
     * it, and then an {@link io.fibry.ActorStoppedException} by {@code onError}, unless their values have ended as they should.
     *
     * @param deadline how long that may take; not negative. What still runs then is interrupted
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Closes the publisher without a deadline: code of producers and stages is interrupted at once. Subscribers are
     * told as {@link #stop} tells them.
     */
    @Override
    void close();

    /**
     * Returns a future that completes when the publisher is closed and its actors have stopped.
     *
     * @return the future of a report
     */
    CompletableFuture<StopReport> onStopped();
}
