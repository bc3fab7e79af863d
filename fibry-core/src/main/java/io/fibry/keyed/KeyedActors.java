package io.fibry.keyed;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.StopReport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An actor for each key. It is made when a message with its key comes, and stops when it has had none for a while.
 * Senders find it by themselves: nothing stands between them and the actors. Thread-safe.
 *
 * <p>Of a key there is never more than one actor at work: the next one begins when all exit hooks of the one before have
 * run, and what is sent meanwhile waits for that. Messages of one sender with one key are handled in the order in
 * which they were sent, and an actor's stop for idleness loses none of them. An exit hook must not wait for an answer of
 * its own key.
 *
 * @param <K> type of the keys
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface KeyedActors<K, M, R extends @Nullable Object> extends AutoCloseable {
    /**
     * Sends a message to the actor of its key.
     *
     * @param message the message
     * @return true if it was accepted
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    boolean sendMessage(M message);

    /**
     * Sends a message to the actor of its key, and asks for the answer.
     *
     * @param message the message
     * @return the answer; it always completes, with an {@link ActorException} if there will be none
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    CompletableFuture<R> sendMessageReturn(M message);

    /**
     * As {@link #sendMessageReturn(Object)}, with a time limit.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    CompletableFuture<R> sendMessageReturn(M message, Duration timeout);

    /**
     * The actor that a key has now. Messages that are sent to it directly may meet its stop; send them here instead.
     *
     * @param key the key
     * @return the actor, if there is one
     */
    Optional<Actor<M, R>> find(K key);

    /**
     * How many keys have an actor that takes messages.
     *
     * @return the number
     */
    int live();

    /**
     * What became of all messages, those of stopped actors included.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Stops all actors, as {@link io.fibry.ActorScope#stop} does. What is sent later is refused.
     *
     * @param deadline how long they may take for what is queued
     * @return how it went
     */
    StopReport stop(Duration deadline);

    /** Stops all actors, with the scope's time-out for closing as the deadline. */
    @Override
    void close();
}
