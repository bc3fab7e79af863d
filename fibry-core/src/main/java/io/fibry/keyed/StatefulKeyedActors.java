package io.fibry.keyed;

import io.fibry.AskCycleException;
import io.fibry.MailboxFullException;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One actor for each key, each with a state of its own. Code can run with the state of a key, in turn with the messages
 * of that key. The actor of the key is made for the code if there is none. Objects are thread-safe; what a thread does
 * before it gives the code <i>happens-before</i> the code.
 *
 * @param <K> type of the keys
 * @param <S> type of the states
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface StatefulKeyedActors<K, S, M, R extends @Nullable Object> extends KeyedActors<K, M, R> {
    /**
     * Runs code with the state of a key. Does not wait. All else is as for {@link
     * io.fibry.StatefulActor#execWithState}.
     *
     * @param key the key
     * @param code what to run
     * @return true if the code was accepted
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    boolean execWithState(K key, Handler<S> code);

    /**
     * Runs code with the state of a key, and waits for its end. All else is as for {@link
     * io.fibry.StatefulActor#execWithStateAndWait(Handler)}.
     *
     * @param key the key
     * @param code what to run
     * @throws ExecutionException if the code threw, or will not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    void execWithStateAndWait(K key, Handler<S> code) throws ExecutionException, InterruptedException;

    /**
     * Runs code with the state of a key. Does not wait. All else is as for {@link
     * io.fibry.StatefulActor#execFutureWithState(ReplyHandler)}.
     *
     * @param <T> type of the result
     * @param key the key
     * @param code what to run
     * @return the result
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(K key, ReplyHandler<S, T> code);

    /**
     * Runs code with the state of a key, within a time limit. Does not wait. All else is as for {@link
     * io.fibry.StatefulActor#execFutureWithState(ReplyHandler, Duration)}.
     *
     * @param <T> type of the result
     * @param key the key
     * @param code what to run
     * @param timeout how long the code may take, its wait in the mailbox included; more than zero
     * @return the result
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    <T extends @Nullable Object> CompletableFuture<T> execFutureWithState(K key, ReplyHandler<S, T> code,
            Duration timeout);
}
