package io.fibry.message;

import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.FailurePolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a message, which is made after the handler has returned: {@link ActorContext#deferReply()} returns it. Any
 * thread completes it, and only the first completion counts.
 *
 * <p>The message itself is over when its handler has returned: it then counts as handled, and the actor goes on with the next
 * message. The reply lives on until one of these happens, whichever comes first:
 *
 * <ul>
 * <li>{@link #complete} gives the answer, or {@link #fail} a failure.
 * <li>The asker cancels its ask, or the time limit of the ask is over.
 * <li>The handler throws: the ask then fails with what it has thrown.
 * <li>The actor stops, in whatever way: the ask fails with an {@link ActorStoppedException}.
 * <li>The actor is {@linkplain FailurePolicy.Restart restarted}: the ask fails with an {@link ActorException} whose cause
 * is that of the restart.
 * <li>The program has lost this object: when the garbage collector finds that nothing refers to it any more, the ask fails
 * with an {@link ActorException}.
 * </ul>
 *
 * <p>If the message was told, no asker waits. All methods then work as usual, and nobody gets the outcome. Only a
 * completion ends such a reply: not the end of the actor, nor any other point of the list.
 *
 * <p>All methods are thread-safe. What a thread does before it completes the reply happens-before the return of the answer's
 * {@code get}.
 *
 * @param <R> type of the answer
 */
public interface DeferredReply<R extends @Nullable Object> {
    /**
     * Gives the answer. Callbacks on the answer run on the calling thread.
     *
     * @param value the answer
     * @return true if this call has decided the outcome of the ask; false if it was decided before
     * @throws IllegalStateException if the message was asked as a {@linkplain io.fibry.Request request}, and the value is no
     *         reply to that very request; the reply then stays open
     */
    boolean complete(R value);

    /**
     * Fails the ask. This is no failure of the actor: it is neither counted nor reported, and the asker gets it.
     *
     * @param cause the failure
     * @return true if this call has decided the outcome of the ask; false if it was decided before
     */
    boolean fail(Throwable cause);

    /**
     * Gives the reply the outcome of a stage when the stage completes: its value is the answer, its failure that of the ask.
     * A value that is no reply to the {@linkplain io.fibry.Request request} fails the ask. A program that loses the stage
     * loses the reply.
     *
     * @param stage the stage
     */
    void completeFrom(CompletionStage<? extends R> stage);

    /**
     * Tells whether the outcome of the ask is decided. This is so after a completion, and also if no asker waits any
     * more, because the asker has cancelled, its time is over, or the actor has stopped. Work for the answer is then in
     * vain.
     *
     * @return true if a completion would come too late
     */
    boolean isDone();

    /**
     * Returns a future that completes when {@link #isDone()} becomes true, whatever the outcome is. A program that
     * works on the answer elsewhere can end that work then. Each call returns another future; to complete one changes
     * nothing else.
     *
     * <p>What is added to the future should not refer to this object. The asker would then keep this object
     * reachable, and the loss of the reply could not be detected.
     *
     * @return the future; its value is {@code null}
     */
    CompletableFuture<@Nullable Void> onDone();
}
