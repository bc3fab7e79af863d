package io.fibry.keyed;

import io.fibry.Actor;
import io.fibry.ActorException;
import io.fibry.AskCycleException;
import io.fibry.Counters;
import io.fibry.MailboxFullException;
import io.fibry.Recipient;
import io.fibry.Reply;
import io.fibry.Request;
import io.fibry.StopReport;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One actor for each key. The actor of a key is made when a message with this key comes. It stops when it has had no
 * message for a while. Senders find the actor in a map; no other actor stands between them. Objects are thread-safe.
 *
 * <p>For one key, never more than one actor is at work. The next actor begins when all exit hooks of the one before
 * have run, and the messages that are sent meanwhile wait for that. The messages of one sender with one key are handled
 * in the order in which they were sent, and none of them is lost when an actor stops because it is idle, unless its
 * handler has put it {@linkplain io.fibry.ActorContext#stash() aside}. An exit hook must not wait for an answer of its
 * own key.
 *
 * @param <K> type of the keys
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface KeyedActors<K, M, R extends @Nullable Object> extends Recipient<M, R>, AutoCloseable {
    /**
     * Returns the name of the builder that the keyed actors were made with, or another one if it has none.
     *
     * @return the name
     */
    @Override
    String name();

    /**
     * Sends a message to the actor of its key.
     *
     * @param message the message
     * @return true if it was accepted
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    boolean sendMessage(M message);

    /**
     * Sends a message to the actor of its key. The message is not handled if it waits for longer than the given time.
     * The message is then counted as expired, and an {@link io.fibry.event.Expired} event is sent. The time begins now
     * and is that of the scope's clock. Whether it is over is checked when the message's turn has come, and not before:
     * until then the message takes up its place in the mailbox. A sender that has to wait for room waits no longer than
     * this time.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return true if it was accepted
     * @throws MailboxFullException if the mailbox is full and its policy is to fail
     */
    @Override
    boolean sendMessage(M message, Duration timeToLive);

    /**
     * Sends an urgent message to the actor of its key, as {@link Actor#sendUrgent} does. It overtakes the messages of its key
     * only.
     *
     * @param message the message
     * @return true if it was accepted
     * @throws IllegalStateException if the actors were built without {@link io.fibry.ActorBuilder#urgent(int)}
     */
    boolean sendUrgent(M message);

    /**
     * Sends a message to the actor of its key and returns a future of what becomes of it, as {@link
     * io.fibry.Actor#sendTracked(Object)} does.
     *
     * @param message the message
     * @return the future of its fate
     */
    @Override
    CompletableFuture<MessageFate> sendTracked(M message);

    /**
     * Sends a message with a time to live to the actor of its key and returns a future of what becomes of it, as {@link
     * io.fibry.Actor#sendTracked(Object, Duration)} does.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return the future of its fate
     */
    @Override
    CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive);

    /**
     * Sends a message to the actor of its key and asks for the answer.
     *
     * @param message the message
     * @return the answer; it always completes, with an {@link ActorException} if there will be no value
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    CompletableFuture<R> sendMessageReturn(M message);

    /**
     * Sends a message to the actor of its key and asks for the answer within a time limit, and otherwise as {@link
     * #sendMessageReturn(Object)} does.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    CompletableFuture<R> sendMessageReturn(M message, Duration timeout);

    /**
     * Sends a request to the actor of its key and asks for the answer, whose type the request names. The handler
     * returns a
     * {@link Reply}.
     *
     * @param <A> type of the answer
     * @param request the request
     * @return the answer; it always completes, as that of {@link Actor#ask(Request)} does
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    <A extends @Nullable Object> CompletableFuture<A> ask(Request<A> request);

    /**
     * Sends a request to the actor of its key and asks for the answer within a time limit, and otherwise as {@link
     * #ask(Request)} does.
     *
     * @param <A> type of the answer
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    <A extends @Nullable Object> CompletableFuture<A> ask(Request<A> request, Duration timeout);

    /**
     * Sends a request to the actor of its key and waits for the answer.
     *
     * @param <A> type of the answer
     * @param request the request
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    <A extends @Nullable Object> A askWait(Request<A> request)
            throws ExecutionException, InterruptedException;

    /**
     * Sends a request to the actor of its key and waits for the answer, but no longer than a time limit.
     *
     * @param <A> type of the answer
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the actor's mailbox is full and its policy is to fail
     */
    @Override
    <A extends @Nullable Object> A askWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException;

    /**
     * Returns the actor that a key has now. A message that is sent to the actor directly may come too late if the actor
     * stops; a message that is sent by the methods of this interface does not.
     *
     * @param key the key
     * @return the actor, or an empty optional if there is none
     */
    Optional<Actor<M, R>> find(K key);

    /**
     * Returns how many actors there are. An actor counts until it has ended, or until a new one waits for its place.
     *
     * @return the number
     */
    int live();

    /**
     * Returns the counts of all messages by what became of them. Those of actors that have stopped are included.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Stops all actors, as {@link io.fibry.ActorScope#stop} does. Messages that are sent later are refused.
     *
     * @param deadline how long the actors may take for the messages that are queued
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Stops all actors, with the close time-out of the scope as the deadline. */
    @Override
    void close();
}
