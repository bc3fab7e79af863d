package io.fibry.function;

import io.fibry.ActorContext;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A {@link StateStageHandler} that is also given its actor's own context.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
@FunctionalInterface
public interface ContextStateStageHandler<S, M, R extends @Nullable Object> {
    /**
     * Handles one message.
     *
     * @param context the actor seen from inside
     * @param state the actor's state
     * @param message the message
     * @return the stage whose outcome becomes that of the answer; ignored if the handler has
     *     {@linkplain ActorContext#stash() put the message aside}
     * @throws Exception any exception; it becomes the failure of the answer, and the actor has failed
     */
    CompletionStage<R> handle(ActorContext<M, R> context, S state, M message) throws Exception;
}
