package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A value that changes and can be observed. Objects are thread-safe. What a thread does before it sets a value
 * <i>happens-before</i> {@link #get} returns this value and before an observer gets it. Programs do not implement this
 * interface.
 *
 * <p>Each observer has an actor of its own and gets the changes in their order; a slow observer delays no other one, and no
 * thread that sets the value. The observers of a value in a scope on {@link io.fibry.CreationStrategy#caller()} run on the
 * thread that sets the value.
 *
 * @param <T> type of the values
 */
public interface ObservableView<T> extends AutoCloseable {
    /**
     * Opens a value that is made of two others. It is computed again after each change of one of them, by an actor, and so
     * follows them with a short delay; changes that come fast are taken together. If the function throws, that is reported
     * as a failure of that actor, and the value stays as it is. The value closes when both others have closed.
     *
     * @param <A> type of the first value
     * @param <B> type of the second value
     * @param <R> type of the new value
     * @param scope the scope in which the value opens a scope for its actors
     * @param name the name of the value in reports
     * @param first the first value
     * @param second the second value
     * @param function makes the new value; called at once, and then in the actor
     * @return the value
     * @throws IllegalStateException if the scope, or one of the values, is closed
     */
    static <A, B, R> ObservableView<R> combined(ActorScope scope, String name, ObservableView<A> first,
            ObservableView<B> second,
            BiFunction<? super A, ? super B, ? extends R> function) {
        return Combination.of(scope, name, first, second, function);
    }

    /**
     * Opens a value that is made of several others, as {@link #combined(ActorScope, String,
     * ObservableView, ObservableView, BiFunction)} does of two. It closes when all others have closed.
     *
     * @param <T> type of the others
     * @param <R> type of the new value
     * @param scope the scope in which the value opens a scope for its actors
     * @param name the name of the value in reports
     * @param sources the other values, at least one
     * @param function makes the new value of the values of the others, which it gets in the order of {@code sources}
     * @return the value
     * @throws IllegalStateException if the scope, or one of the values, is closed
     */
    static <T, R> ObservableView<R> combined(ActorScope scope, String name,
            List<? extends ObservableView<? extends T>> sources,
            Function<? super List<T>, ? extends R> function) {
        return Combination.ofAll(scope, name, sources, function);
    }

    /**
     * Returns the name of the value in reports.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the present value. After the end it stays what it was.
     *
     * @return the value
     */
    T get();

    /**
     * Subscribes a handler to each change from now on.
     *
     * @param handler what to do with a new value
     * @return the subscription
     * @throws IllegalStateException if the value is closed
     */
    default Subscription subscribe(Handler<? super T> handler) {
        return subscribe(ObserverOptions.defaults(), handler);
    }

    /**
     * Subscribes a handler.
     *
     * @param options the options of the observer
     * @param handler what to do with a new value
     * @return the subscription
     * @throws IllegalStateException if the value is closed
     */
    Subscription subscribe(ObserverOptions options, Handler<? super T> handler);

    /**
     * Subscribes an actor. An actor of the value stands between and sends the changes on, so the setting thread never waits
     * for the actor. The subscription ends when the actor stops.
     *
     * @param options the options of the observer
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the value is closed
     */
    Subscription subscribe(ObserverOptions options, Actor<? super T, ?> actor);

    /**
     * Returns a future of the first value, from the present one on, for which a condition holds. The condition is tested
     * for each change in an actor; if more than 1,024 changes wait for the test, the oldest ones are not tested. Cancelling
     * the future ends the test. If the condition throws, the future fails with that exception. If the value is closed
     * before the condition holds, the future fails with an {@link ActorStoppedException}.
     *
     * @param condition the condition
     * @return the future of the value
     */
    CompletableFuture<T> when(Predicate<? super T> condition);

    /**
     * Waits for a value for which a condition holds, as {@link #when} does. The present value is tested on the calling
     * thread.
     *
     * @param condition the condition
     * @return the first such value that was seen
     * @throws InterruptedException if the calling thread was interrupted
     * @throws ActorStoppedException if the value is closed, and the condition does not hold for it
     */
    T await(Predicate<? super T> condition) throws InterruptedException;

    /**
     * Waits for a value for which a condition holds, but no longer than a time limit, by the clock of the scope.
     *
     * @param condition the condition
     * @param timeout how long to wait, more than zero
     * @return the first such value that was seen
     * @throws InterruptedException if the calling thread was interrupted
     * @throws TimeoutException if the condition has not held within the time
     * @throws ActorStoppedException if the value is closed, and the condition does not hold for it
     */
    T await(Predicate<? super T> condition, Duration timeout) throws InterruptedException, TimeoutException;

    /**
     * Returns how many observers there are. A call that waits for a condition counts as one as long as it waits.
     *
     * @return the number
     */
    int observers();

    /**
     * Returns what became of the changes for all observers, those that have ended included. A change counts once for each
     * observer.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Closes the value. Its observers handle the changes that wait, and end. What waits for a condition ends with an
     * {@link ActorStoppedException}.
     *
     * @param deadline how long the observers may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Closes the value, with the close time-out of the scope as the deadline. */
    @Override
    void close();

    /**
     * Returns a future of the end of the value.
     *
     * @return the future, which completes when the value is closed, also by the end of its scope
     */
    CompletableFuture<StopReport> onStopped();
}
