package io.fibry;

import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What messages can be sent to: an {@link Actor}, {@link io.fibry.keyed.KeyedActors actors by key}, a {@link SharedMailbox}, a
 * pool of workers, a router. Code that only sends and asks can take a recipient and need not know what is behind it.
 *
 * <p>Recipients are thread-safe. What a thread does before it sends a message <i>happens-before</i> the handler receives
 * the message; the end of the handler <i>happens-before</i> the return of the answer's {@code get}. Each answer
 * completes, and each message meets one fate, as {@link Actor} describes.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} if there are none
 */
public interface Recipient<M, R extends @Nullable Object> {
    /**
     * Returns the name of the recipient in reports.
     *
     * @return the name
     */
    String name();

    /**
     * Sends a message.
     *
     * @param message the message
     * @return true if it was accepted
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    boolean sendMessage(M message);

    /**
     * Sends a message that is not handled if it waits for longer than the given time, as {@link
     * Actor#sendMessage(Object, Duration)} does.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return true if it was accepted
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    boolean sendMessage(M message, Duration timeToLive);

    /**
     * Sends a message and returns a future of what becomes of it, as {@link Actor#sendTracked(Object)} does.
     *
     * @param message the message
     * @return the future of its fate
     */
    CompletableFuture<MessageFate> sendTracked(M message);

    /**
     * Sends a message with a time to live and returns a future of what becomes of it, as {@link
     * Actor#sendTracked(Object, Duration)} does.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return the future of its fate
     */
    CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive);

    /**
     * Sends a message and asks for the answer.
     *
     * @param message the message
     * @return the answer; it always completes, with an {@link ActorException} if there will be no value
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> sendMessageReturn(M message);

    /**
     * Sends a message and asks for the answer within a time limit. After the limit the answer fails with an {@link
     * AskTimeoutException}, and the message is skipped if it still waits.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> sendMessageReturn(M message, Duration timeout);

    /**
     * Sends a message and waits for the answer.
     *
     * @param message the message
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    default R sendMessageReturnWait(M message) throws ExecutionException, InterruptedException {
        Objects.requireNonNull(message, "message");
        requireNotInterrupted();
        return sendMessageReturn(message).get();
    }

    /**
     * Sends a request and asks for the answer, whose type the request names. The handler returns a {@link Reply}.
     *
     * @param <A> type of the answer
     * @param request the request
     * @return the answer; it always completes, as that of {@link Actor#ask(Request)} does
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    <A extends @Nullable Object> CompletableFuture<A> ask(Request<A> request);

    /**
     * Sends a request and asks for the answer within a time limit, and otherwise as {@link #ask(Request)} does.
     *
     * @param <A> type of the answer
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    <A extends @Nullable Object> CompletableFuture<A> ask(Request<A> request, Duration timeout);

    /**
     * Sends a request and waits for the answer.
     *
     * @param <A> type of the answer
     * @param request the request
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    default <A extends @Nullable Object> A askWait(Request<A> request)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        requireNotInterrupted();
        return ask(request).get();
    }

    /**
     * Sends a request and waits for the answer, but no longer than a time limit.
     *
     * @param <A> type of the answer
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws ExecutionException if there is no answer; its cause is the reason, after the time limit it is an {@link
     *     AskTimeoutException}
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    default <A extends @Nullable Object> A askWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(timeout, "timeout");
        requireNotInterrupted();
        return ask(request, timeout).get();
    }

    private void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before it asked '" + name() + "': nothing was sent");
        }
    }
}
