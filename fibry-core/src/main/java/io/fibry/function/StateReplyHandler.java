package io.fibry.function;

import io.fibry.ActorContext;
import org.jspecify.annotations.Nullable;

/**
 * An answering handler of an actor with a state of its own, which no other actor or thread can reach.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface StateReplyHandler<S, M, R extends @Nullable Object>
        extends
            ContextStateReplyHandler<S, M, R> {
    /**
     * Handles one message.
     *
     * @param state the actor's state
     * @param message the message
     * @return the answer
     * @throws Exception any exception; it becomes the failure of the answer
     */
    R handle(S state, M message) throws Exception;

    /** Handles one message, as {@link #handle(Object, Object)} does. */
    @Override
    default R handle(ActorContext<M, R> context, S state, M message) throws Exception {
        return handle(state, message);
    }
}
