package io.fibry.function;

import io.fibry.ActorContext;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler that gets the context of its actor, and whose answer comes when a stage completes.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ContextStageHandler<M, R extends @Nullable Object> {
    /**
     * Handles one message.
     *
     * @param context the actor seen from inside
     * @param message the message
     * @return the stage whose outcome becomes that of the answer; ignored if the handler has
     *     {@linkplain ActorContext#stash() put the message aside}
     * @throws Exception any exception; it becomes the failure of the answer, and the actor has failed
     */
    CompletionStage<R> handle(ActorContext<M, R> context, M message) throws Exception;
}
