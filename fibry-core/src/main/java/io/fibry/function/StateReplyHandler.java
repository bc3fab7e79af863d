package io.fibry.function;

import org.jspecify.annotations.Nullable;

/**
 * An answering handler of an actor with a state of its own, which no other actor or thread can reach.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface StateReplyHandler<S, M, R extends @Nullable Object> {
    /**
     * Handles one message.
     *
     * @param state the actor's state
     * @param message the message
     * @return the answer
     * @throws Exception any exception; it becomes the failure of the answer
     */
    R handle(S state, M message) throws Exception;
}
