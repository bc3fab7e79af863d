package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;

/**
 * A handler of an actor with a state of its own, which no other actor or thread can reach; or of two other values that belong
 * together, such as a connection and a message to it.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface StateHandler<S, M> extends ContextStateHandler<S, M> {
    /**
     * Handles one message.
     *
     * @param state the actor's state
     * @param message the message
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(S state, M message) throws Exception;

    /** Handles one message, as {@link #handle(Object, Object)} does. */
    @Override
    default void handle(ActorContext<M, Void> context, S state, M message) throws Exception {
        handle(state, message);
    }
}
