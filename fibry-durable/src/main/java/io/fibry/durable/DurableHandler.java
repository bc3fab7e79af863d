package io.fibry.durable;

import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of a durable actor. One object handles the messages of all keys, so it has no state of its own; the
 * state is in the context.
 *
 * @param <S> type of the state
 * @param <E> type of the events
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface DurableHandler<S, E, M, R extends @Nullable Object> {
    /**
     * Handles one message. If this method throws, the turn has changed nothing since its last {@link
     * DurableContext#flush()}.
     *
     * @param self the actor
     * @param message the message
     * @return the answer, which leaves when all events are durable; null is no answer
     * @throws Exception any exception; it becomes the failure of the answer
     */
    R handle(DurableContext<S, E, M, R> self, M message) throws Exception;
}
