package io.fibry.function;

import io.fibry.ActorContext;

/**
 * A piece of code that runs inside an actor and is given the actor's own context.
 *
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ContextBody<M> {
    /**
     * Runs the code.
     *
     * @param context the actor seen from inside
     * @throws Exception any exception
     */
    void run(ActorContext<M, ?> context) throws Exception;
}
