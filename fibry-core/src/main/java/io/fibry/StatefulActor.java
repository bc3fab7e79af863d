package io.fibry;

import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The handle of an actor that has a state of its own, as {@link ActorBuilder#state} makes it. It runs code with this
 * state, in turn with the messages of the actor. So the code needs no lock, and the state is no longer protected if the
 * code hands it out.
 *
 * <p>Handles are thread-safe, as those of all actors. What a thread does before it gives the code
 * <i>happens-before</i> the code; the end of the code <i>happens-before</i> the return of {@code
 * execWithStateAndWait} and of the result's {@code get}.
 *
 * <p>The code is queued, is counted and fails in the same way as code that is given to {@link #execAsync}, {@link
 * #execAndWait} and {@link #execFuture}. It sees the state that the next message would see. If there is none yet, the
 * state is made and the hooks of {@link StatefulActorBuilder#onStart} run; if that fails, the code fails with it.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} for an actor that gives none
 */
@SuppressWarnings("overloads") // see Actor
public interface StatefulActor<S, M, R extends @Nullable Object> extends Actor<M, R> {
    /**
     * Runs code with the state of the actor. Does not wait. All else is as for {@link #execAsync}.
     *
     * @param code what to run
     * @return true if the code was accepted
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    boolean execWithState(Handler<S> code);

    /**
     * Runs code with the state of the actor, and waits for its end. All else is as for {@link
     * #execAndWait(io.fibry.function.Body)}.
     *
     * @param code what to run
     * @throws ExecutionException if the code threw, or will not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    void execWithStateAndWait(Handler<S> code) throws ExecutionException, InterruptedException;

    /**
     * Runs code with the state of the actor. Does not wait. All else is as for {@link
     * #execFuture(java.util.concurrent.Callable)}.
     *
     * @param <T> type of the result
     * @param code what to run
     * @return the result
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(ReplyHandler<S, T> code);

    /**
     * Runs code with the state of the actor, within a time limit. Does not wait. After the limit the result fails with
     * an {@link AskTimeoutException}, and code that is still queued is skipped.
     *
     * @param <T> type of the result
     * @param code what to run
     * @param timeout how long the code may take, its wait in the mailbox included; more than zero
     * @return the result
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(ReplyHandler<S, T> code,
            Duration timeout);

    /**
     * Runs code with the state of the actor while the actor is held. All else is as for {@link
     * #hold(java.util.concurrent.Callable, Duration)}.
     *
     * @param <T> type of the result
     * @param code what to run
     * @param timeout how long the code may wait for its turn, more than zero
     * @return what the code returns
     * @throws ExecutionException if the code threw, or will not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before the code had begun
     * @throws AskCycleException if the wait was part of a cycle before the code had begun
     * @throws IllegalArgumentException if the actor cannot be held
     * @throws IllegalStateException if the actor has no state
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> T holdWithState(ReplyHandler<S, T> code, Duration timeout)
            throws ExecutionException, InterruptedException;

    /**
     * Tells whether the actor has a state. Each actor that a builder without {@link ActorBuilder#state} makes has none, also if
     * it is found as a {@code StatefulActor}.
     *
     * @return true if it has
     */
    boolean hasState();

    @Override
    StatefulActor<S, M, R> closeOnExit(AutoCloseable resource);
}
