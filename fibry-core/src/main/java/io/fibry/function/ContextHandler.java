package io.fibry.function;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;

/**
 * A {@link Handler} that is also given its actor's own context.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ContextHandler<M> {
    /**
     * Handles one message.
     *
     * @param context the actor seen from inside
     * @param message the message
     * @throws Exception any exception; the actor's {@link FailurePolicy} decides what follows
     */
    void handle(ActorContext<M, Void> context, M message) throws Exception;
}
