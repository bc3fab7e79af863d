package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;

/**
 * A {@link StateHandler} that is also given its actor's own context.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ContextStateHandler<S, M> {
    /**
     * Handles one message.
     *
     * @param context the actor seen from inside
     * @param state the actor's state
     * @param message the message
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(ActorContext<M, Void> context, S state, M message) throws Exception;
}
