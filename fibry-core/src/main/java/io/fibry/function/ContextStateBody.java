package io.fibry.function;

import io.fibry.ActorContext;

/**
 * A piece of code that runs inside an actor and is given the actor's own context and its state.
 *
 * @param <S> type of the state
 * @param <M> type of the messages
 */
@FunctionalInterface
public interface ContextStateBody<S, M> {
    /**
     * Runs the code.
     *
     * @param context the actor seen from inside
     * @param state the actor's state, which no other thread uses meanwhile
     * @throws Exception any exception
     */
    void run(ActorContext<M, ?> context, S state) throws Exception;
}
