package io.fibry.function;

import org.jspecify.annotations.Nullable;

/**
 * A piece of code that runs inside an actor with the state of the actor, and has a result. It may block and may throw
 * anything.
 *
 * @param <S> type of the state
 * @param <T> type of the result
 */
@FunctionalInterface
public interface StateCallable<S, T extends @Nullable Object> {
    /**
     * Runs the code.
     *
     * @param state the actor's state, which no other thread uses meanwhile
     * @return the result; a part of the state that other threads then use is no longer protected by the actor
     * @throws Exception any exception
     */
    T call(S state) throws Exception;
}
