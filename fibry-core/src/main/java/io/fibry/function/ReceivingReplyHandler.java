package io.fibry.function;

import io.fibry.ReceivingReplyContext;
import org.jspecify.annotations.Nullable;

/**
 * An answering handler that may take further messages itself, in an order of its choice.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ReceivingReplyHandler<M, R extends @Nullable Object> {
    /**
     * Handles one message, and those it takes with {@link ReceivingReplyContext#receive}, to which it replies with {@link
     * ReceivingReplyContext#reply}.
     *
     * @param context the actor seen from inside
     * @param message the message
     * @return the answer to {@code message}
     * @throws Exception any exception; it becomes the failure of the answers that are open
     */
    R handle(ReceivingReplyContext<M, R> context, M message) throws Exception;
}
