package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingReplyContext;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ReceivingReplyHandler} of an actor with a state of its own.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ReceivingStateReplyHandler<S, M, R extends @Nullable Object> {
    /**
     * Handles one message, and those it takes with {@link ReceivingReplyContext#receive}. While it waits for a message,
     * code that is given to the actor may run with the state.
     *
     * @param context the actor seen from inside
     * @param state the actor's state
     * @param message the message
     * @return the answer to {@code message}
     * @throws Exception any exception; it becomes the failure of the answers that are open, and the actor's {@link
     *     FailurePolicy} decides what follows
     */
    R handle(ReceivingReplyContext<M, R> context, S state, M message) throws Exception;
}
