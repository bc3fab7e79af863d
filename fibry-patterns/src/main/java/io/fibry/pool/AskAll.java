package io.fibry.pool;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.AskCycleException;
import io.fibry.MailboxFullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several asks that are made together: of several actors, or of several messages to one.
 *
 * <pre>{@code
 * List<Integer> prices = AskAll.await(shops, shop -> shop.ask("apple", Duration.ofSeconds(2)));
 * List<AskOutcome<Integer>> halves = AskAll.outcomes(List.of(1, 2), half::sendMessageReturn);
 * }</pre>
 *
 * <p>The calling thread sends all asks and then waits for the answers. So they have its context and its deadline, and a cycle
 * of waits is found as for any ask. A time limit is that of each ask, as {@link Actor#ask(Object, Duration)} sets it. To have
 * no more than some asks without an answer at a time, use {@link ParallelMap}. What the calling thread does before the call
 * <i>happens-before</i> the handlers receive the messages; the ends of the handlers <i>happen-before</i> the return.
 */
public final class AskAll {
    private AskAll() {
    }

    /**
     * Sends all asks and waits for all answers. If an ask fails, the call does not wait for the others. It cancels them, which
     * interrupts their handlers if the actors were built with {@link ActorBuilder#interruptOnCancel()}, and sends no more.
     *
     * @param <T> type of what the asks are made for: actors, or messages
     * @param <R> type of the answers
     * @param items for each of them an ask is sent
     * @param ask sends an ask; called by this thread
     * @return the answers, in the order of the asks
     * @throws ExecutionException if an ask has failed; its cause is the reason. The failures of further asks are suppressed
     *     exceptions of it if they are known at that moment
     * @throws InterruptedException if the calling thread was interrupted before or while it waited; what was asked is
     *     cancelled
     * @throws AskCycleException if the calling actor would wait for itself
     */
    public static <T, R extends @Nullable Object> List<R> await(Collection<? extends T> items,
            Function<? super T, ? extends CompletableFuture<R>> ask)
            throws ExecutionException, InterruptedException {
        var round = new Round<R>(true);
        round.send(items, ask);
        var values = new ArrayList<R>();
        try {
            for (var answer : round.answers) {
                values.add(answer.get());
            }
        } catch (ExecutionException | CancellationException failed) {
            throw round.failure(failed);
        } finally {
            round.cancelOpen();
        }
        return Collections.unmodifiableList(values);
    }

    /**
     * Sends all asks and waits until each of them has an answer or has failed.
     *
     * @param <T> type of what the asks are made for: actors, or messages
     * @param <R> type of the answers
     * @param items for each of them an ask is sent
     * @param ask sends an ask; called by this thread
     * @return the outcomes, in the order of the asks
     * @throws InterruptedException if the calling thread was interrupted before or while it waited; what was asked is
     *     cancelled
     */
    public static <T, R extends @Nullable Object> List<AskOutcome<R>> outcomes(Collection<? extends T> items,
            Function<? super T, ? extends CompletableFuture<R>> ask) throws InterruptedException {
        var round = new Round<R>(false);
        round.send(items, ask);
        var outcomes = new ArrayList<AskOutcome<R>>();
        try {
            for (var answer : round.answers) {
                outcomes.add(outcome(answer));
            }
        } finally {
            round.cancelOpen();
        }
        return Collections.unmodifiableList(outcomes);
    }

    private static <R extends @Nullable Object> AskOutcome<R> outcome(CompletableFuture<R> answer)
            throws InterruptedException {
        try {
            return new AskOutcome.Answered<>(answer.get());
        } catch (ExecutionException failed) {
            return new AskOutcome.Failed<>(Objects.requireNonNullElse(failed.getCause(), failed));
        } catch (CancellationException | AskCycleException failed) {
            return new AskOutcome.Failed<>(failed);
        }
    }

    /** The asks of one call. The first failure cancels the others, so the thread that waits for one of them goes on. */
    private static final class Round<R extends @Nullable Object> {
        private final boolean endsAtFailure;
        private final Queue<CompletableFuture<R>> answers = new ConcurrentLinkedQueue<>();
        /** The first failure cancels the other asks. */
        private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

        Round(boolean endsAtFailure) {
            this.endsAtFailure = endsAtFailure;
        }

        <T> void send(Collection<? extends T> items, Function<? super T, ? extends CompletableFuture<R>> ask)
                throws InterruptedException {
            Objects.requireNonNull(ask, "ask");
            var all = List.copyOf(Objects.requireNonNull(items, "items"));
            var isSent = false;
            try {
                for (var item : all) {
                    if (Thread.interrupted()) {
                        throw new InterruptedException(
                                "interrupted when " + answers.size() + " of " + all.size()
                                        + " asks were sent");
                    }
                    if (first.get() != null) {
                        break;
                    }
                    add(sent(ask, item));
                }
                isSent = true;
            } finally {
                if (!isSent) {
                    cancelOpen();
                }
            }
        }

        private <T> CompletableFuture<R> sent(Function<? super T, ? extends CompletableFuture<R>> ask,
                T item) {
            try {
                return Objects.requireNonNull(ask.apply(item), "the answer of an ask");
            } catch (MailboxFullException full) {
                return CompletableFuture.failedFuture(full);
            }
        }

        private void add(CompletableFuture<R> answer) {
            answers.add(answer);
            if (endsAtFailure) {
                var unused = answer.whenComplete((value, failure) -> {
                    // The JDK's method knows the exception that a derived future puts around a failure.
                    if (failure != null
                            && first.compareAndSet(null,
                                    answer.isCancelled() ? failure : answer.exceptionNow())) {
                        cancelOpen();
                    }
                });
            }
        }

        void cancelOpen() {
            for (var answer : answers) {
                if (!answer.isDone()) {
                    answer.cancel(true);
                }
            }
        }

        /** Returns what the call throws: the first failure, or else what has ended the wait, as the caller's time limit may. */
        ExecutionException failure(Exception ended) {
            var known = first.get();
            var cause = known != null ? known : Objects.requireNonNullElse(ended.getCause(), ended);
            var thrown = new ExecutionException(cause);
            for (var other : answers) {
                if (other.state() == State.FAILED && other.exceptionNow() != cause) {
                    thrown.addSuppressed(other.exceptionNow());
                }
            }
            return thrown;
        }
    }
}
