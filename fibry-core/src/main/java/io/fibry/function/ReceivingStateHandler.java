package io.fibry.function;

import io.fibry.FailurePolicy;
import io.fibry.ReceivingContext;

/**
 * A {@link ReceivingHandler} of an actor with a state of its own.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ReceivingStateHandler<S, M> {
    /**
     * Handles one message, and those it takes with {@link ReceivingContext#receive}. While it waits for a message, code
     * that is given to the actor may run with the state.
     *
     * @param context the actor seen from inside
     * @param state the actor's state
     * @param message the message
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(ReceivingContext<M> context, S state, M message) throws Exception;
}
