package io.fibry;

import io.fibry.function.Body;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handle of an actor: send to it, ask it, run code in it, stop it.
 *
 * <p>Handles are thread-safe and free to be shared. What a thread does before it sends a message
 * <i>happens-before</i> the handler receives it; the end of the handler <i>happens-before</i> the return of
 * the answer's {@code get}.
 *
 * <p>Sending never hurts the sender: a message that is not accepted is reported to the scope's listeners and
 * the call returns false (or an answer that has failed). Only {@link OverflowPolicy#fail()} throws, only
 * {@link OverflowPolicy#block()} waits.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} for an actor that gives none
 */
@SuppressWarnings("overloads") // andThen comes from both Consumer and Function; their lambdas differ
public interface Actor<M, R extends @Nullable Object>
        extends
            Consumer<M>,
            Function<M, R>,
            Executor,
            AutoCloseable {
    /**
     * Sends a message.
     *
     * @param message the message
     * @return true if it was accepted: it will be handled unless the actor stops before
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    boolean sendMessage(M message);

    /**
     * Sends a message and asks for the answer. Cancelling the answer takes the message back if it is still
     * queued; if its handler is running, that is interrupted only if the actor was built with
     * {@link ActorBuilder#interruptOnCancel()}.
     *
     * <p>The answer always completes: with the value, with the handler's exception, with an
     * {@link ActorException} if there will be none, or cancelled. Callbacks added to it run on the thread
     * that completes it, not inside the asking actor.
     *
     * @param message the message
     * @return the answer
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> sendMessageReturn(M message);

    /**
     * As {@link #sendMessageReturn(Object)}, with a time limit: after it the answer fails with an
     * {@link AskTimeoutException}, and the message is skipped if it is still queued.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    CompletableFuture<R> sendMessageReturn(M message, Duration timeout);

    /**
     * Asks and waits for the answer.
     *
     * @param message the message
     * @return the answer
     * @throws ExecutionException if there is no answer; the cause says why
     * @throws InterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     */
    R sendMessageReturnWait(M message) throws ExecutionException, InterruptedException;

    /**
     * Asks and waits for the answer; settles for another value if there is none.
     *
     * @param message the message
     * @param onFailure what to return if the handler failed or the actor has stopped
     * @return the answer, or {@code onFailure}
     * @throws InterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     */
    R sendMessageReturnWait(M message, R onFailure) throws InterruptedException;

    /**
     * Asks and waits for the answer, throwing unchecked exceptions only.
     *
     * @param message the message
     * @return the answer
     * @throws java.util.concurrent.CompletionException if there is no answer; the cause says why
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     */
    @Override
    R apply(M message);

    /**
     * Sends a message, as {@link #sendMessage} does.
     *
     * @param message the message
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    @Override
    void accept(M message);

    /**
     * Runs code inside the actor, in turn with its messages. As an {@link Executor} must, it throws if the
     * code will not run; {@link #execAsync} returns false instead.
     *
     * @param code what to run
     * @throws java.util.concurrent.RejectedExecutionException if the actor has stopped or is full
     */
    @Override
    void execute(Runnable code);

    /**
     * Runs code inside the actor, in turn with its messages.
     *
     * @param code what to run
     * @return true if it was accepted
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    boolean execAsync(Body code);

    /**
     * Runs code inside the actor, in turn with its messages, and waits for its end.
     *
     * @param code what to run
     * @throws ExecutionException if the code threw, or will not run
     * @throws InterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     */
    void execAndWait(Body code) throws ExecutionException, InterruptedException;

    /**
     * Runs code inside the actor, in turn with its messages.
     *
     * @param <T> type of the result
     * @param code what to run
     * @return its result, always completed in the end
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code);

    /** Stops the actor after the current message. What is queued becomes undelivered. Does not wait. */
    void askExit();

    /** Stops the actor after what is queued now. What is sent later may be undelivered. Does not wait. */
    void sendPoisonPill();

    /**
     * Stops the actor: first as {@link #sendPoisonPill()}; if it has not stopped after {@code deadline}, its
     * handler is interrupted and what is queued becomes undelivered; it is then given the same time again,
     * but one second at most. Called from inside the actor it only asks for the exit and does not wait.
     *
     * <p>If {@code deadline} is zero, an actor that is idle and has neither exit hooks, resources nor children, and whose
     * life is not a body, ends on the spot. The report does not call that forced. Any other actor is forced at once, with
     * the reason {@link io.fibry.event.Stopped.Reason#FORCED}: what it runs at this moment is interrupted, what is queued
     * becomes undelivered, and the caller waits for its end for up to one second by the system's clock, whatever the clock
     * of the scope is. The exit hooks of an actor that was idle are not interrupted. An actor that has answered its last
     * message counts as idle; one whose handler is just about to return does not.
     *
     * @param deadline how long the actor may take for what is queued; not negative
     * @return how it went
     */
    StopReport stop(Duration deadline);

    /**
     * Waits until the actor has stopped and its exit hooks have run.
     *
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     * @throws IllegalStateException if called from inside the actor, which would wait for ever
     */
    void waitForExit();

    /**
     * Waits until the actor has stopped and its exit hooks have run.
     *
     * @param timeout how long to wait
     * @return true if it has stopped
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     * @throws IllegalStateException if called from inside the actor, which would wait for ever
     */
    boolean waitForExit(Duration timeout);

    /**
     * Closes a resource when the actor stops, exactly once, in the order of these calls and after the exit
     * hooks of the builder. If the actor has stopped already, it is closed at once.
     *
     * @param resource what to close, another actor for instance
     * @return this actor
     */
    Actor<M, R> closeOnExit(AutoCloseable resource);

    /**
     * Stops the actor as its {@link CloseBehavior} says; by default after what is queued now, and waits. It
     * never waits when called from inside the actor. An interrupt while it waits turns into a forced stop
     * and is kept for the caller.
     */
    @Override
    void close();

    /**
     * The actor's name. That of an anonymous actor is made up and may not be unique.
     *
     * @return the name
     */
    String name();

    /**
     * How many messages wait: exact for a bounded mailbox, but that the one which a receiving actor is passing over at
     * this moment may count twice; an estimate for an unbounded one.
     *
     * @return the number
     */
    int mailboxSize();

    /**
     * What the actor is doing.
     *
     * @return its state
     */
    ActorState state();

    /**
     * What became of the messages offered to this actor.
     *
     * @return the numbers
     */
    Counters counters();
}
