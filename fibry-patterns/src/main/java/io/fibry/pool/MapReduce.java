package io.fibry.pool;

import io.fibry.ActorScope;
import io.fibry.Recipient;
import io.fibry.Stereotypes;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Maps items side by side and reduces the results to one value. The items are mapped by the workers of a pool. Each result
 * goes to one actor, which adds it to the value.
 *
 * <pre>{@code
 * try (var words = MapReduce.<Path, Integer, Integer>open(scope, "words", PoolOptions.fixed(4, 100),
 *         path -> count(path), () -> 0, Integer::sum)) {
 *     files.forEach(words::submit);
 *     int total = words.result().get();
 * }
 * }</pre>
 *
 * <p>The results are reduced in no particular order. An item that fails, or is not mapped, makes the result fail; the items
 * after it are not mapped. The size is bounded by the options of the pool, whose policy decides about one more item: with
 * {@link io.fibry.OverflowPolicy#block()} {@code submit} waits. A map-reduce that {@link #unbounded} returns takes every
 * item at once and maps each in an actor of its own.
 *
 * <p>Objects are thread-safe. What a thread does before it submits an item <i>happens-before</i> the mapping of the item,
 * and that <i>happens-before</i> the return of the result's {@code get}.
 *
 * @param <T> type of the items
 * @param <A> type of the value
 */
public interface MapReduce<T, A extends @Nullable Object> extends AutoCloseable {
    /**
     * Opens a map-reduce with a pool of workers.
     *
     * @param <T> type of the items
     * @param <V> type of what an item is mapped to
     * @param <A> type of the value
     * @param scope the scope around its actors
     * @param name the name of the pool
     * @param options how many workers there are, and how many items may wait for them
     * @param mapper maps an item; must not return null
     * @param initial returns the value without any item
     * @param reducer adds the result of an item to the value, one at a time, and returns the new value
     * @return the map-reduce
     */
    static <T, V, A extends @Nullable Object> MapReduce<T, A> open(ActorScope scope, String name,
            PoolOptions<T> options, ReplyHandler<T, V> mapper, Supplier<? extends A> initial,
            BiFunction<? super A, ? super V, ? extends A> reducer) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(mapper, "mapper");
        return new Reduction<T, V, A>(scope, name, initial, reducer,
                (inner, reduction) -> WorkerPool.open(inner, name, options,
                        (T item) -> reduction.map(mapper, item)));
    }

    /**
     * Opens a map-reduce that maps each item in an actor of its own, whatever their number.
     *
     * @param <T> type of the items
     * @param <V> type of what an item is mapped to
     * @param <A> type of the value
     * @param scope the scope around its actors
     * @param name the name of the actor that starts the others
     * @param mapper maps an item; must not return null
     * @param initial returns the value without any item
     * @param reducer adds the result of an item to the value, one at a time, and returns the new value
     * @return the map-reduce
     */
    static <T, V, A extends @Nullable Object> MapReduce<T, A> unbounded(ActorScope scope, String name,
            ReplyHandler<T, V> mapper, Supplier<? extends A> initial,
            BiFunction<? super A, ? super V, ? extends A> reducer) {
        Objects.requireNonNull(mapper, "mapper");
        return new Reduction<T, V, A>(scope, name, initial, reducer,
                (inner, reduction) -> Stereotypes.with(inner.named(name))
                        .workers((T item) -> reduction.map(mapper, item)));
    }

    /**
     * Maps items by a recipient, for instance a {@link WorkerPool} that is there already, and reduces the answers. The
     * calling thread takes the items one by one and reduces; up to {@code most} items are at work meanwhile.
     *
     * @param <T> type of the items
     * @param <V> type of the answers
     * @param <A> type of the value
     * @param recipient maps an item; its mailbox has room for at least {@code most} messages
     * @param most how many items may be at work at a time, at least one
     * @param items the items
     * @param initial the value without any item
     * @param reducer adds the answer for an item to the value, in the order of the items
     * @return the value
     * @throws java.util.concurrent.CompletionException if an item fails; its cause is the reason
     */
    static <T, V extends @Nullable Object, A extends @Nullable Object> A mapReduce(Recipient<T, V> recipient,
            int most,
            Iterable<? extends T> items, A initial, BiFunction<? super A, ? super V, ? extends A> reducer) {
        Objects.requireNonNull(reducer, "reducer");
        var value = initial;
        try (var results =
                ParallelMap.with(recipient, most).over(Objects.requireNonNull(items, "items").iterator())) {
            while (results.hasNext()) {
                value = reducer.apply(value, results.next());
            }
        }
        return value;
    }

    /**
     * Submits an item.
     *
     * @param item the item
     * @return false if it was refused: there is no room for it, an item has failed, or {@link #result()} was called. The
     *     result then does not have it, and does not fail for that
     */
    boolean submit(T item);

    /**
     * Returns the result of all items that were submitted, and refuses further ones. Each call returns another future.
     *
     * @return the value; fails with what the first item has failed with, or with an {@link
     *     io.fibry.ActorStoppedException} if the map-reduce was closed before
     */
    CompletableFuture<A> result();

    /**
     * Ends the actors. The items that were submitted are mapped and reduced until the deadline. A result that is not there
     * by then, or for which {@link #result()} was not called, fails.
     *
     * @param deadline how long the items may take; not negative
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of the actors, by a stop or by the end of the scope around them.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /** Ends the actors, with the close time-out of the scope as the deadline; see {@link #stop}. */
    @Override
    void close();
}
