package io.fibry;

import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of messages: an {@link Actor}, {@link io.fibry.keyed.KeyedActors actors by key}, a {@link SharedMailbox}, a
 * pool of workers, a router. Code that only sends and asks can take a recipient and need not know what is behind it.
 *
 * <p>Recipients are thread-safe. What a thread does before it sends a message <i>happens-before</i> the handler receives
 * the message; the end of the handler <i>happens-before</i> the return of the answer's {@code get}. Each message
 * meets one fate, as {@link Actor} describes.
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
     * @return true if the message was accepted: it will be handled unless the actor stops before
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    boolean sendMessage(M message);

    /**
     * Sends a message that is not handled if it waits for longer than the given time. The message is then counted as
     * expired, and an {@link io.fibry.event.Expired} event is sent. The time begins now and is that of the scope's clock.
     * Whether it is over is checked when the message's turn has come, and not before: until then the message takes up
     * its place in the mailbox. A sender that has to wait for room waits no longer than this time.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return true if it was accepted
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    boolean sendMessage(M message, Duration timeToLive);

    /**
     * Sends a message, as {@link #sendMessage(Object)} does, and returns a future of what becomes of it. The future
     * completes with one of the fates of {@link MessageFate}, always, and never with an exception. Where a policy to
     * fail would throw, the message is refused. Cancelling the future does nothing to the message. A wait for the
     * future that closes a cycle is refused, as a wait for an answer is.
     *
     * @param message the message
     * @return the future of its fate
     */
    CompletableFuture<MessageFate> sendTracked(M message);

    /**
     * Sends a message as {@link #sendTracked(Object)} does, with a time to live.
     *
     * @param message the message
     * @param timeToLive how long the message may wait; more than zero
     * @return the future of its fate
     */
    CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive);

    /**
     * Sends a message and asks for the answer. If the answer is cancelled while the message is queued, the message is
     * skipped. If the answer is cancelled while the handler runs, the handler is interrupted only if the actor was built
     * with {@link ActorBuilder#interruptOnCancel()}.
     *
     * <p>The answer completes with the value, with the handler's exception, or with an {@link ActorException} if there will
     * be no value. If the handler never ends, only a time limit or a cancellation ends the answer. Callbacks that are added
     * to the answer run on the thread that completes it, and not inside the asking actor.
     *
     * @param message the message; a {@link Request} has an answer of its own type if it is asked by {@link #request(Request)}
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    default CompletableFuture<R> ask(M message) {
        return sendMessageReturn(message);
    }

    /**
     * Sends a message and asks for the answer within a time limit. After the limit the answer fails with an {@link
     * AskTimeoutException}, and the message is skipped if it is still queued. All else is as for {@link #ask(Object)}.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> ask(M message, Duration timeout);

    /**
     * Sends a message and asks for the answer. This is another name of {@link #ask(Object)}.
     *
     * @param message the message
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> sendMessageReturn(M message);

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
     * Sends a request and asks for the answer, whose type the request names. The handler returns a {@link Reply}. All else
     * is as for {@link #ask(Object)}. If the handler returns no reply to this request, it has failed, and the answer fails
     * with an {@link IllegalStateException} that says what was returned.
     *
     * @param <A> type of the answer
     * @param request the request
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request);

    /**
     * Sends a request and asks for the answer within a time limit. After the limit the answer fails with an {@link
     * AskTimeoutException}, and the request is skipped if it is still queued. All else is as for {@link #request(Request)}.
     *
     * @param <A> type of the answer
     * @param request the request
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if there is no room and the policy is {@link OverflowPolicy#fail()}
     */
    <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout);

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
    default <A extends @Nullable Object> A requestWait(Request<A> request)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        requireNotInterrupted();
        return request(request).get();
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
    default <A extends @Nullable Object> A requestWait(Request<A> request, Duration timeout)
            throws ExecutionException, InterruptedException {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(timeout, "timeout");
        requireNotInterrupted();
        return request(request, timeout).get();
    }

    private void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before it asked '" + name() + "': nothing was sent");
        }
    }
}
