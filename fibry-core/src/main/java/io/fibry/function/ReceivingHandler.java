package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;

/**
 * A handler that may take further messages itself, in an order of its choice.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ReceivingHandler<M> {
    /**
     * Handles one message, and those it takes with {@link ReceivingContext#receive}.
     *
     * @param context the actor seen from inside
     * @param message the message
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(ReceivingContext<M> context, M message) throws Exception;
}
