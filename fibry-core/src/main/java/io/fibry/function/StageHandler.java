package io.fibry.function;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler whose answer comes when a stage completes.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface StageHandler<M, R extends @Nullable Object> {
    /**
     * Handles one message.
     *
     * @param message the message
     * @return the stage whose outcome becomes that of the answer
     * @throws Exception any exception; it becomes the failure of the answer, and the actor has failed
     */
    CompletionStage<R> handle(M message) throws Exception;
}
