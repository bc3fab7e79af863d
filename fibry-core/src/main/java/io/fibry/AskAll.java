package io.fibry;

import io.fibry.internal.actor.ManyAsks;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import org.jspecify.annotations.Nullable;

/**
 * Several asks that are made together. The methods of {@link Actors} make instances. Nothing is sent before one of
 * the methods {@link #await},
 * {@link #awaitOutcomes} and {@link #send} is called; each call sends all of them anew.
 *
 * <pre>{@code
 * List<Integer> prices = Actors.askAll(shops, "apple").atMost(10).within(Duration.ofSeconds(2)).await();
 * }</pre>
 *
 * <p>The calling thread sends the asks, so they have its context and its deadline. In {@code await} and {@code
 * awaitOutcomes} it also waits for the answers. A cycle of
 * waits is found as for any ask. Objects are immutable and thread-safe. What the calling thread does before the call
 * <i>happens-before</i> the handlers receive the messages; the ends of the handlers <i>happen-before</i> the return.
 *
 * @param <R> type of the answers
 */
public final class AskAll<R extends @Nullable Object> {
    private final ManyAsks<R> asks;

    AskAll(ManyAsks<R> asks) {
        this.asks = asks;
    }

    /**
     * Returns the same asks with a limit on how many may be unanswered at the same time. The next one is sent when one
     * of them has an answer or has failed.
     *
     * @param running how many, at least one
     * @return the asks with the limit
     */
    public AskAll<R> atMost(int running) {
        if (running < 1) {
            throw new IllegalArgumentException("running must be at least 1: " + running);
        }
        return new AskAll<>(asks.atMost(running));
    }

    /**
     * Returns the same asks with a time limit for all of them together. An ask that has no answer by then fails with an
     * {@link AskTimeoutException}; one that was not sent by then is not sent.
     *
     * @param timeout how long all answers may take, more than zero
     * @return the asks with the time limit
     */
    public AskAll<R> within(Duration timeout) {
        return new AskAll<>(asks.within(Durations.positiveNanos(timeout, "timeout")));
    }

    /**
     * Returns the same asks, of which none is cancelled when another one fails in {@link #await}. Those that were sent go
     * on, and their answers are dropped; others are not sent.
     *
     * @return the asks that do not cancel each other
     */
    public AskAll<R> leavingOthers() {
        return new AskAll<>(asks.leavingOthers());
    }

    /**
     * Sends all asks and waits for all answers. If an ask fails, the call does not wait for the others: unless
     * {@link #leavingOthers} was called, it cancels them, which interrupts their handlers if the actors were built
     * with {@link ActorBuilder#interruptOnCancel()}.
     *
     * @return the answers, in the order of the asks
     * @throws ExecutionException if an ask has failed; its cause is the reason. The failures of further asks are suppressed
     *     exceptions of it if they are known at that moment
     * @throws InterruptedException if the calling thread was interrupted before or while it waited; what was asked is
     *     cancelled
     * @throws AskCycleException if the calling actor would wait for itself
     */
    public List<R> await() throws ExecutionException, InterruptedException {
        return asks.values();
    }

    /**
     * Sends all asks and waits until each of them has an answer or has failed.
     *
     * @return the outcomes, in the order of the asks
     * @throws InterruptedException if the calling thread was interrupted before or while it waited; what was asked is
     *     cancelled
     */
    public List<AskOutcome<R>> awaitOutcomes() throws InterruptedException {
        var outcomes = new ArrayList<AskOutcome<R>>();
        for (var answer : asks.answers()) {
            outcomes.add(answer.state() == State.SUCCESS ? new AskOutcome.Answered<>(answer.resultNow())
                    : new AskOutcome.Failed<>(answer.exceptionNow()));
        }
        return Collections.unmodifiableList(outcomes);
    }

    /**
     * Sends all asks and does not wait.
     *
     * @return the answers, in the order of the asks; each completes by itself
     * @throws IllegalStateException if {@link #atMost} was called: only a thread that waits can keep that limit
     */
    public List<CompletableFuture<R>> send() {
        return asks.send();
    }

    @Override
    public String toString() {
        return "AskAll[" + asks + "]";
    }
}
