package io.fibry.pool;

import io.fibry.ActorScope;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Applies code to the elements of a stream or an iterator, several at a time. The elements are taken from the source one
 * by one, on the thread of the consumer, and only as far as the results are taken: no more elements than {@code most} are
 * at work, or have a result that was not taken. So the source may be endless, and a slow consumer slows the source down.
 *
 * <pre>{@code
 * var loading = ParallelMap.with(scope, 16, (String url) -> load(url));   // once
 * try (var pages = loading.over(urls.stream())) {
 *     pages.forEach(page -> index(page));   // in the order of the urls
 * }
 * }</pre>
 *
 * <p>The code runs in the actors behind a {@link Recipient}, mostly a {@link WorkerPool}. Each element is an ask of the
 * consumer's thread, so the asks have its context and its time limit. The first failure ends {@link #over(Iterator)}: the
 * result that is taken throws a {@link java.util.concurrent.CompletionException} with the cause, and the asks without an
 * answer are cancelled. {@link #outcomes(Iterator)} goes on to the end instead.
 *
 * <p>Objects of this class are immutable and thread-safe. The results are for one thread at a time. {@code
 * java.util.stream.Gatherer} would be the place for this in a stream's pipeline, but the library runs on Java 21, which
 * has no gatherers.
 *
 * @param <T> type of the elements
 * @param <R> type of the results
 * @param recipient gets the elements and answers
 * @param most how many elements may be at work, or have a result that was not taken
 * @param isOrdered whether the results come in the order of the elements; else each comes when it is there
 */
public record ParallelMap<T, R extends @Nullable Object>(Recipient<T, R> recipient, int most,
        boolean isOrdered) {
    private static final Duration IDLE = Duration.ofSeconds(10);

    /**
     * Checks the number.
     *
     * @param recipient not null
     * @param most at least one
     * @param isOrdered any
     */
    public ParallelMap {
        Objects.requireNonNull(recipient, "recipient");
        requireSome(most);
    }

    /**
     * Results that are taken one by one. When they are closed, or the last one was taken, what is still at work is
     * cancelled.
     *
     * @param <R> type of the results
     */
    public interface Results<R extends @Nullable Object> extends Iterator<R>, AutoCloseable {
        /** Cancels what is at work. There are no more results then. */
        @Override
        void close();
    }

    private static void requireSome(int most) {
        if (most < 1) {
            throw new IllegalArgumentException(
                    "most must be at least 1: " + most + "; no element of a parallel map could be at work");
        }
    }

    /**
     * Returns a map whose code runs in a pool of its own, with up to {@code most} workers. The pool ends with the scope, so
     * a map is made once and used many times. If several threads use it at a time, a thread that finds the pool full waits.
     *
     * @param <T> type of the elements
     * @param <R> type of the results
     * @param scope the scope around the pool
     * @param most how many elements may be at work at a time, at least one
     * @param handler makes the result of an element
     * @return the map, which works as long as the scope is open
     */
    public static <T, R extends @Nullable Object> ParallelMap<T, R> with(ActorScope scope, int most,
            ReplyHandler<T, R> handler) {
        requireSome(most);
        return with(WorkerPool.openWithReturn(scope, "parallel map",
                PoolOptions.<T>scaling(1, most, IDLE, (int) Math.min(2L * most, Integer.MAX_VALUE))
                        .withOverflow(OverflowPolicy.block()),
                handler), most);
    }

    /**
     * Returns a map whose code runs behind a recipient.
     *
     * @param <T> type of the elements
     * @param <R> type of the results
     * @param recipient gets the elements and answers, for instance a {@link WorkerPool}
     * @param most how many elements may be at work at a time; a pool should have room for so many
     * @return the map
     */
    public static <T, R extends @Nullable Object> ParallelMap<T, R> with(Recipient<T, R> recipient,
            int most) {
        return new ParallelMap<>(recipient, most, true);
    }

    /**
     * Returns the same map with results that come as soon as they are there. The wait for such a result waits for several
     * actors, and is not seen in cycles of waits.
     *
     * @return the new map
     */
    public ParallelMap<T, R> unordered() {
        return new ParallelMap<>(recipient, most, false);
    }

    /**
     * Applies the code to the elements of an iterator. The first failure ends the results.
     *
     * @param source the elements, none of them null
     * @return the results
     */
    public Results<R> over(Iterator<? extends T> source) {
        return new LookAhead<>(this, source, true, LookAhead::valueOf);
    }

    /**
     * Applies the code to the elements of a stream. The first failure ends the results. The stream that is returned is
     * sequential; when it is closed, what is at work is cancelled and the source is closed.
     *
     * @param source the elements, none of them null
     * @return the results
     */
    public Stream<R> over(Stream<? extends T> source) {
        return stream(over(source.iterator()), source);
    }

    /**
     * Applies the code to the elements of an iterator, to the last one, whatever fails.
     *
     * @param source the elements, none of them null
     * @return what has become of each element
     */
    public Results<AskOutcome<R>> outcomes(Iterator<? extends T> source) {
        return new LookAhead<>(this, source, false, outcome -> outcome);
    }

    /**
     * Applies the code to the elements of a stream, to the last one, whatever fails.
     *
     * @param source the elements, none of them null
     * @return what has become of each element
     */
    public Stream<AskOutcome<R>> outcomes(Stream<? extends T> source) {
        return stream(outcomes(source.iterator()), source);
    }

    private <V extends @Nullable Object> Stream<V> stream(Results<V> results, Stream<? extends T> source) {
        var order = isOrdered ? Spliterator.ORDERED : 0;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(results, order), false)
                .onClose(results::close).onClose(source::close);
    }
}
