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
 * The handle of an actor. A program sends messages to it, asks it, runs code in it and stops it.
 *
 * <p>Handles are thread-safe and can be shared freely. What a thread does before it sends a message
 * <i>happens-before</i> the handler receives the message; the end of the handler <i>happens-before</i> the return of
 * the answer's {@code get}. The same holds for code that is run in the actor.
 *
 * <p>A message that is not accepted is reported to the listeners of the scope, and the call returns false or an answer
 * that has failed. Only {@link OverflowPolicy#fail()} throws a {@link MailboxFullException}, and only {@link
 * OverflowPolicy#block()} waits.
 *
 * <table class="striped">
 * <caption>Ways to ask</caption>
 * <thead>
 * <tr><th scope="col">method</th><th scope="col">waits</th><th scope="col">if there is no answer</th></tr>
 * </thead>
 * <tbody>
 * <tr><th scope="row">{@link #ask(Object) ask(message)}, or {@link #sendMessageReturn(Object)
 *     sendMessageReturn(message)}</th><td>no</td>
 *     <td>the answer fails</td></tr>
 * <tr><th scope="row">{@link #ask(Object, Duration) ask(message, timeout)}</th><td>no</td>
 *     <td>the answer fails; after the time limit with an {@link AskTimeoutException}</td></tr>
 * <tr><th scope="row">{@link #sendMessageReturnWait(Object) sendMessageReturnWait(message)}</th><td>yes</td>
 *     <td>{@link ExecutionException}; its cause is the reason</td></tr>
 * <tr><th scope="row">{@link #apply(Object) apply(message)}</th><td>yes</td>
 *     <td>{@link java.util.concurrent.CompletionException}; its cause is the reason</td></tr>
 * <tr><th scope="row">{@link #apply(Object, Duration) apply(message, timeout)}</th><td>yes</td>
 *     <td>{@link java.util.concurrent.CompletionException}; its cause is the reason, after the time limit an {@link
 *     AskTimeoutException}</td></tr>
 * <tr><th scope="row">{@link #request(Request) request(request)}</th><td>no</td>
 *     <td>the answer fails</td></tr>
 * <tr><th scope="row">{@link #request(Request, Duration) request(request, timeout)}</th><td>no</td>
 *     <td>the answer fails; after the time limit with an {@link AskTimeoutException}</td></tr>
 * <tr><th scope="row">{@link #requestWait(Request) requestWait(request)}</th><td>yes</td>
 *     <td>{@link ExecutionException}; its cause is the reason</td></tr>
 * <tr><th scope="row">{@link #requestWait(Request, Duration) requestWait(request, timeout)}</th><td>yes</td>
 *     <td>{@link ExecutionException}; its cause is the reason, after the time limit an {@link AskTimeoutException}</td></tr>
 * </tbody>
 * </table>
 *
 * <p>The last four are for a {@link Request}, a message that names the type of its answer; {@code R} is {@link Reply} for an
 * actor that takes requests. With the other methods, all answers of an actor have the same type.
 *
 * <p>The answer fails with what the handler threw, or with an {@link ActorException} that tells the reason: mostly {@link
 * ActorStoppedException}, {@link MailboxFullException} or {@link HandlerAbandonedException}. A call that waits throws {@link
 * AskCycleException} if the calling actor would wait for itself. If the thread is interrupted, {@code sendMessageReturnWait}
 * throws {@link InterruptedException}; {@code apply} throws {@link ActorInterruptedException}, and keeps the interrupt flag.
 *
 * <table class="striped">
 * <caption>Ways to run code in the actor, in turn with its messages</caption>
 * <thead>
 * <tr><th scope="col">method</th><th scope="col">waits</th><th scope="col">if the code throws</th>
 *     <th scope="col">if the actor does not accept the code</th></tr>
 * </thead>
 * <tbody>
 * <tr><th scope="row">{@link #execAsync(Body) execAsync}</th><td>no</td><td>a failure of the actor</td>
 *     <td>returns false</td></tr>
 * <tr><th scope="row">{@link #execAndWait(Body) execAndWait}</th><td>yes</td>
 *     <td>a failure of the actor, and {@link ExecutionException}</td><td>{@link ExecutionException}</td></tr>
 * <tr><th scope="row">{@link #execFuture(Callable) execFuture}</th><td>no</td>
 *     <td>a failure of the actor, and the result fails</td><td>the result fails</td></tr>
 * <tr><th scope="row">{@link #execute(Runnable) execute}</th><td>no</td><td>a failure of the actor</td>
 *     <td>{@link java.util.concurrent.RejectedExecutionException}, as an {@link Executor} must throw</td></tr>
 * </tbody>
 * </table>
 *
 * <table class="striped">
 * <caption>Ways to stop the actor</caption>
 * <thead>
 * <tr><th scope="col">method</th><th scope="col">queued messages</th><th scope="col">message being handled</th>
 *     <th scope="col">waits</th><th scope="col">reason reported</th></tr>
 * </thead>
 * <tbody>
 * <tr><th scope="row">{@link #askExit()}</th><td>undelivered</td><td>handled to its end</td><td>no</td>
 *     <td>{@link io.fibry.event.Stopped.Reason#EXIT EXIT}</td></tr>
 * <tr><th scope="row">{@link #sendPoisonPill()}</th><td>handled</td><td>handled to its end</td><td>no</td>
 *     <td>{@link io.fibry.event.Stopped.Reason#POISON_PILL POISON_PILL}</td></tr>
 * <tr><th scope="row">{@link #stop(Duration)}</th><td>handled until the deadline, then undelivered</td>
 *     <td>handled to its end; interrupted at the deadline</td><td>yes</td>
 *     <td>{@link io.fibry.event.Stopped.Reason#POISON_PILL POISON_PILL}; after the deadline
 *     {@link io.fibry.event.Stopped.Reason#FORCED FORCED}</td></tr>
 * <tr><th scope="row">{@link #close()}</th><td>handled</td><td>handled to its end</td><td>yes</td>
 *     <td>{@link io.fibry.event.Stopped.Reason#POISON_PILL POISON_PILL}</td></tr>
 * </tbody>
 * </table>
 *
 * <p>From inside the actor none of these methods waits. If several of them are called, the first reason is reported.
 * Messages that are sent after the call are refused or undelivered.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers; {@link Void} for an actor that gives none
 */
@SuppressWarnings("overloads") // andThen comes from both Consumer and Function; their lambdas differ
public interface Actor<M, R extends @Nullable Object>
        extends
            Recipient<M, R>,
            Consumer<M>,
            Function<M, R>,
            Executor,
            AutoCloseable {
    /**
     * Sends a message that is handled before all that waits in the mailbox, but behind the urgent messages that were sent
     * before it. The message that is being handled is not interrupted. If as many urgent messages wait as the builder
     * allows, the message is refused at once, whatever the policy of the mailbox. An urgent message takes no place of a
     * bounded mailbox.
     *
     * <p>There are no urgent asks. A message can carry a {@link CompletableFuture} that the handler completes; if the actor
     * stops before, nothing completes it, so give it a time limit ({@link CompletableFuture#orTimeout}).
     *
     * @param message the message
     * @return true if it was accepted
     * @throws IllegalStateException if the actor was built without {@link ActorBuilder#urgent(int)}
     */
    boolean sendUrgent(M message);

    /**
     * Sends a message, as {@link #sendMessage(Object)} does.
     *
     * @param message the message
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    @Override
    void accept(M message);

    /**
     * Sends a message and waits for the answer. Throws unchecked exceptions only.
     *
     * @param message the message
     * @return the answer
     * @throws java.util.concurrent.CompletionException if there is no answer; its cause is the reason, also if the handler
     *     failed since its own call of {@code apply} got no answer
     * @throws ActorInterruptedException if the calling thread was interrupted; its text says whether that was before the
     *     message was sent, which then is not sent, or while the thread waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    @Override
    R apply(M message);

    /**
     * Sends a message and waits for the answer, but no longer than a time limit. Throws unchecked exceptions only.
     *
     * @param message the message
     * @param timeout how long the answer may take, more than zero
     * @return the answer
     * @throws java.util.concurrent.CompletionException if there is no answer; its cause is the reason, after the time limit
     *     it is an {@link AskTimeoutException}
     * @throws ActorInterruptedException if the calling thread was interrupted; its text says whether that was before the
     *     message was sent, which then is not sent, or while the thread waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    R apply(M message, Duration timeout);

    /**
     * Runs code inside the actor, in turn with its messages. Does not wait.
     *
     * @param code what to run
     * @return true if the code was accepted
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    boolean execAsync(Body code);

    /**
     * Runs code inside the actor, in turn with its messages, and waits for its end.
     *
     * @param code what to run
     * @throws ExecutionException if the code threw, or will not run; its cause is the reason
     * @throws InterruptedException if the calling thread was interrupted before or while it waited
     * @throws AskCycleException if the calling actor would wait for itself
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    void execAndWait(Body code) throws ExecutionException, InterruptedException;

    /**
     * Runs code inside the actor, in turn with its messages, within a time limit. Does not wait. After the limit the
     * result fails with an {@link AskTimeoutException}, and code that is still queued is skipped.
     *
     * @param <T> type of the result
     * @param code what to run
     * @param timeout how long the code may take, its wait in the mailbox included; more than zero
     * @return the result
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code, Duration timeout);

    /**
     * Runs code inside the actor, in turn with its messages. Does not wait.
     *
     * @param <T> type of the result
     * @param code what to run
     * @return the result
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> CompletableFuture<T> execFuture(Callable<T> code);

    /**
     * Runs code inside the actor, in turn with its messages. Does not wait. As an {@link Executor} must, this method
     * throws if the code will not run; {@link #execAsync} returns false instead.
     *
     * @param code what to run
     * @throws java.util.concurrent.RejectedExecutionException if the actor has stopped or is full
     */
    @Override
    void execute(Runnable code);

    /**
     * Runs code inside the actor and waits for it, so that the actor is held between two messages as long as the caller
     * wants. When this method returns or throws, the code has ended, or it has not begun and never will.
     *
     * <p>While the code is queued, the wait ends if the caller is interrupted, or if the time limit, or that of the
     * calling handler, is over. If the wait is or becomes part of a cycle of waits, it ends with an {@link
     * AskCycleException}, and the other waits go on. So a caller that already holds other actors can let them go, and
     * try again.
     *
     * <p>When the code has begun, the wait lasts until the code has ended. An interrupt of the caller is passed on to the code.
     * The successor of the actor in a group does not run the code.
     *
     * @param <T> type of the result
     * @param code what to run
     * @param timeout how long the code may wait for its turn, more than zero
     * @return what the code returns
     * @throws ExecutionException if the code threw, or will not run; its cause is the reason, after the time limit it is an
     *     {@link AskTimeoutException}
     * @throws InterruptedException if the calling thread was interrupted before the code had begun
     * @throws AskCycleException if the wait was part of a cycle before the code had begun
     * @throws IllegalArgumentException if the actor is a receiving actor, one that hands its messages to workers, or one
     *     built with {@link ActorBuilder#abandonStuck}
     * @throws MailboxFullException if the mailbox is full and its policy is {@link OverflowPolicy#fail()}
     */
    <T extends @Nullable Object> T hold(Callable<T> code, Duration timeout)
            throws ExecutionException, InterruptedException;

    /**
     * Returns the actor's name. The name of an anonymous actor is made up and may not be unique.
     *
     * @return the name
     */
    @Override
    String name();

    /**
     * Returns what the actor is doing.
     *
     * @return its state
     */
    ActorState state();

    /**
     * Returns how many messages wait. The number is exact for a bounded mailbox, except that a message which a receiving
     * actor is passing over at this moment may count twice. The number is an estimate for an unbounded mailbox.
     *
     * @return the number
     */
    int mailboxSize();

    /**
     * Returns what became of the messages that were offered to this actor.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Closes a resource when the actor stops. The resource is closed exactly once, after the exit hooks of the builder.
     * Resources are closed in the order in which they were added. If the actor has stopped already, the resource is
     * closed at once.
     *
     * @param resource what to close, for instance another actor
     * @return this actor
     */
    Actor<M, R> closeOnExit(AutoCloseable resource);

    /** Stops the actor after the current message. The queued messages become undelivered. Does not wait. */
    void askExit();

    /** Stops the actor after the messages that are queued now. Later ones may be undelivered. Does not wait. */
    void sendPoisonPill();

    /**
     * Stops the actor and waits for its end. At first the actor stops as after {@link #sendPoisonPill()}. If it has not
     * stopped after {@code deadline}, its handler is interrupted and the queued messages become undelivered; the actor
     * then has up to one more second, by the system's clock, whatever the deadline and the clock of the scope are. If
     * this method is called from inside the actor, it only asks for the exit and does not wait.
     *
     * <p>If {@code deadline} is zero, an actor that is idle and has neither exit hooks, resources nor children, and whose
     * life is not a body, ends at once; the report does not call that forced. Any other actor is forced at once, with the
     * reason {@link io.fibry.event.Stopped.Reason#FORCED}: what it runs at this moment is interrupted, the queued messages
     * become undelivered, and the caller waits for up to one second. The exit hooks of an actor that was idle are not
     * interrupted. An actor that has answered its last message counts as idle; one whose handler is about to return does not.
     *
     * @param deadline how long the actor may take for the queued messages; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of this actor. It completes when {@link #waitForExit()} would return, however the
     * actor ends, with the report that {@link #stop} gives. If the actor has stopped already, the future is complete.
     * Each call returns another future; completing or cancelling one of them does not stop the actor.
     *
     * <p>The future holds no thread. At the end of the actor a virtual thread completes it, so its callbacks hold up
     * neither the end of the actor nor that of its scope. A wait for it inside the actor or a child of it throws an
     * {@link IllegalStateException}, and one that closes a cycle of waits throws an {@link AskCycleException}.
     *
     * <p>The future refers to the actor, and the actor refers to the future until it is complete or cancelled. An actor to
     * which nothing else refers is garbage together with its futures. It does not stop then, and no callback runs.
     *
     * @return the future of the report
     */
    CompletableFuture<StopReport> onStopped();

    /**
     * Stops the actor after the messages that are queued now, and waits for the end, unless it is called from inside the
     * actor. If the calling thread is interrupted while it waits, the stop is forced, and the thread keeps its interrupt flag.
     * If its scope was closed and has ended without it, this call waits for a second at most.
     */
    @Override
    void close();

    /**
     * Waits until the actor has stopped and its exit hooks have run. Does not stop the actor.
     *
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself, since the actor waits for it
     * @throws IllegalStateException if called from inside the actor, which would wait for ever
     */
    void waitForExit();

    /**
     * Waits until the actor has stopped and its exit hooks have run, but no longer than a time limit. Does not stop the
     * actor.
     *
     * @param timeout how long to wait
     * @return true if the actor has stopped
     * @throws ActorInterruptedException if the calling thread was interrupted while it waited
     * @throws AskCycleException if the calling actor would wait for itself, since the actor waits for it
     * @throws IllegalStateException if called from inside the actor, which would wait for ever
     */
    boolean waitForExit(Duration timeout);
}
