package io.fibry.topic;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorStoppedException;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A map whose changes can be observed. Objects are thread-safe; reading takes no lock. What a thread does before it puts a
 * value <i>happens-before</i> {@link #get} returns this value and before an observer gets the change. An entry that is set to a
 * value that equals its present one does not change. Programs do not implement this interface.
 *
 * <p>Each observer gets the changes of all keys in one order, which is the same for all observers that do not coalesce. If
 * the observer begins with the present entries, it gets them first, one change for each, and then each later change once.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
public interface ObservableMap<K, V> extends AutoCloseable {
    /**
     * Opens an empty map. It ends with the scope.
     *
     * @param <K> type of the keys
     * @param <V> type of the values
     * @param scope the scope in which the map opens a scope for its actors
     * @param name the name of the map in reports
     * @param options the options
     * @return the map
     * @throws IllegalStateException if the scope is closed
     */
    static <K, V> ObservableMap<K, V> open(ActorScope scope, String name, ObservableOptions options) {
        return new LiveMap<>(scope, name, options);
    }

    /**
     * Returns the name of the map in reports.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the value of a key.
     *
     * @param key the key
     * @return the value; empty if the key has none
     */
    Optional<V> get(K key);

    /**
     * Sets the value of a key.
     *
     * @param key the key
     * @param value the new value
     * @return the value before; empty if the key had none
     * @throws IllegalStateException if this is closed
     */
    Optional<V> put(K key, V value);

    /**
     * Removes a key.
     *
     * @param key the key
     * @return the value before; empty if the key had none
     * @throws IllegalStateException if this is closed
     */
    Optional<V> remove(K key);

    /**
     * Sets the value of a key, or removes it, if its present value equals another.
     *
     * @param key the key
     * @param expected what the present value has to equal; empty if the key must have none
     * @param value the new value; empty to remove the key
     * @return true if the present value equalled {@code expected}
     * @throws IllegalStateException if this is closed
     */
    boolean compareAndSet(K key, Optional<V> expected, Optional<V> value);

    /**
     * Sets the value of a key to what a function makes of the present one. No change is lost if several threads do so; the
     * function may then be called more than once. It must not change the value of this key.
     *
     * @param key the key
     * @param function makes the new value; gets an empty optional if the key has none, and returns one to remove the key
     * @return the new value
     * @throws IllegalStateException if this is closed, or if the function changes the value of this key
     */
    Optional<V> update(K key, Function<? super Optional<V>, Optional<V>> function);

    /**
     * Returns a copy of all entries at one moment. Writers wait meanwhile.
     *
     * @return an immutable map
     */
    Map<K, V> snapshot();

    /**
     * Returns how many entries there are.
     *
     * @return the number
     */
    int size();

    /**
     * Subscribes a handler to each change from now on.
     *
     * @param handler what to do with a change
     * @return the subscription
     * @throws IllegalStateException if the map is closed
     */
    default Subscription subscribe(Handler<? super MapChange<K, V>> handler) {
        return subscribe(ObserverOptions.defaults(), handler);
    }

    /**
     * Subscribes a handler.
     *
     * @param options the options of the observer
     * @param handler what to do with a change
     * @return the subscription
     * @throws IllegalStateException if the map is closed
     */
    Subscription subscribe(ObserverOptions options, Handler<? super MapChange<K, V>> handler);

    /**
     * Subscribes an actor. An actor of the map stands between and sends the changes on. The subscription ends when the actor
     * stops.
     *
     * @param options the options of the observer
     * @param actor the actor, of any scope
     * @return the subscription
     * @throws IllegalStateException if the map is closed
     */
    Subscription subscribe(ObserverOptions options, Actor<? super MapChange<K, V>, ?> actor);

    /**
     * Returns a future that completes when a condition holds for the map. The condition is tested in an actor, now and
     * after changes, on a view that changes while it is read; a state that does not last may be missed. The future
     * completes with a copy of the entries that is made then. If the condition throws, the future fails with that exception.
     * Cancelling the future ends the test. If the map is closed first, the future fails with an {@link
     * ActorStoppedException}.
     *
     * @param condition the condition
     * @return the future of the entries
     */
    CompletableFuture<Map<K, V>> when(Predicate<? super Map<K, V>> condition);

    /**
     * Waits until a condition holds for the map, as {@link #when} does.
     *
     * @param condition the condition
     * @return a copy of the entries
     * @throws InterruptedException if the calling thread was interrupted
     * @throws ActorStoppedException if the map is closed, and the condition does not hold
     */
    Map<K, V> await(Predicate<? super Map<K, V>> condition) throws InterruptedException;

    /**
     * Waits until a condition holds for the map, but no longer than a time limit, by the clock of the scope.
     *
     * @param condition the condition
     * @param timeout how long to wait, more than zero
     * @return a copy of the entries
     * @throws InterruptedException if the calling thread was interrupted
     * @throws TimeoutException if the condition has not held within the time
     * @throws ActorStoppedException if the map is closed, and the condition does not hold
     */
    Map<K, V> await(Predicate<? super Map<K, V>> condition, Duration timeout)
            throws InterruptedException, TimeoutException;

    /**
     * Returns how many observers there are. What waits for a condition is one as long as it waits.
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
     * Closes the map. Its observers handle the changes that wait, and end.
     *
     * @param deadline how long the observers may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Closes the map, with the close time-out of the scope as the deadline. */
    @Override
    void close();

    /**
     * Returns a future of the end of the map.
     *
     * @return the future, which completes when the map is closed, also by the end of its scope
     */
    CompletableFuture<StopReport> onStopped();
}
