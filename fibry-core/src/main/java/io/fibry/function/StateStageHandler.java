package io.fibry.function;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler of an actor with a state of its own, whose answer comes when a stage completes. Only the handler may use the
 * state: code that the stage runs elsewhere is not inside the actor.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface StateStageHandler<S, M, R extends @Nullable Object> {
    /**
     * Handles one message.
     *
     * @param state the actor's state
     * @param message the message
     * @return the stage whose outcome becomes that of the answer
     * @throws Exception any exception; it becomes the failure of the answer, and the actor has failed
     */
    CompletionStage<R> handle(S state, M message) throws Exception;
}
