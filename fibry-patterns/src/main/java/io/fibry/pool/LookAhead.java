package io.fibry.pool;

import io.fibry.ActorInterruptedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the results of some elements ahead of the consumer. Only the thread of the consumer uses this object, except
 * for {@code done}.
 *
 * @param <T> type of the elements
 * @param <R> type of the answers
 * @param <V> type of the results
 */
final class LookAhead<T, R extends @Nullable Object, V extends @Nullable Object>
        implements
            ParallelMap.Results<V> {
    private final ParallelMap<T, R> map;
    private final Iterator<? extends T> source;
    private final boolean endsAtFailure;
    private final Function<AskOutcome<R>, V> result;
    /** The asks whose results were not taken, in their order. */
    private final Deque<CompletableFuture<R>> open = new ArrayDeque<>();
    /** Those of them that are complete, unless the order matters. */
    private final BlockingQueue<CompletableFuture<R>> done = new LinkedBlockingQueue<>();
    private boolean ended;
    /** What the source has thrown while a result was at hand: the next call throws it. */
    private @Nullable Throwable sourceFailure;

    LookAhead(ParallelMap<T, R> map, Iterator<? extends T> source, boolean endsAtFailure,
            Function<AskOutcome<R>, V> result) {
        this.map = map;
        this.source = Objects.requireNonNull(source, "source");
        this.endsAtFailure = endsAtFailure;
        this.result = result;
    }

    static <R extends @Nullable Object> R valueOf(AskOutcome<R> outcome) {
        return switch (outcome) {
            case AskOutcome.Answered<R>(var value) -> value;
            case AskOutcome.Failed<R>(var cause) -> throw new CompletionException(cause);
        };
    }

    @Override
    public boolean hasNext() {
        var failure = sourceFailure;
        if (failure != null) {
            sourceFailure = null;
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
        askAhead();
        return !open.isEmpty();
    }

    @Override
    public V next() {
        if (!hasNext()) {
            throw new NoSuchElementException("there are no more results");
        }
        var outcome = taken();
        if (endsAtFailure && outcome instanceof AskOutcome.Failed) {
            close();
        } else {
            try {
                askAhead(); // while the consumer is busy with this result
            } catch (RuntimeException | Error failure) {
                sourceFailure = failure;
            }
        }
        return result.apply(outcome);
    }

    private void askAhead() {
        var complete = false;
        try {
            while (!ended && open.size() < map.most() && source.hasNext()) {
                ask(Objects.requireNonNull(source.next(), "an element for '" + map.recipient().name() + "'"));
            }
            complete = true;
        } finally {
            if (!complete) {
                close(); // the source has failed
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback throws nothing
    private void ask(T element) {
        CompletableFuture<R> answer;
        try {
            answer = map.recipient().sendMessageReturn(element);
        } catch (RuntimeException refused) {
            answer = CompletableFuture.failedFuture(refused);
        }
        var mine = answer;
        open.add(mine);
        if (!map.isOrdered()) {
            mine.whenComplete((value, failure) -> done.add(mine));
        }
    }

    @SuppressWarnings("CollectionUndefinedEquality") // futures are equal if they are the same
    private AskOutcome<R> taken() {
        try {
            var answer = map.isOrdered() ? open.getFirst() : done.take();
            var outcome = outcomeOf(answer);
            open.removeFirstOccurrence(answer); // a recipient may give one future for several elements
            return outcome;
        } catch (InterruptedException interrupt) {
            close();
            Thread.currentThread().interrupt();
            throw new ActorInterruptedException(
                    "interrupted while waiting for a result of '" + map.recipient().name() + "'");
        } catch (RuntimeException refused) {
            close(); // the wait would be for ever
            throw refused;
        }
    }

    private static <R extends @Nullable Object> AskOutcome<R> outcomeOf(CompletableFuture<R> answer)
            throws InterruptedException {
        try {
            return new AskOutcome.Answered<>(answer.get());
        } catch (ExecutionException failed) {
            return new AskOutcome.Failed<>(Objects.requireNonNullElse(failed.getCause(), failed));
        } catch (CancellationException cancelled) {
            return new AskOutcome.Failed<>(cancelled);
        }
    }

    @Override
    public void close() {
        ended = true;
        open.forEach(answer -> answer.cancel(true));
        open.clear();
    }
}
