package io.fibry.function;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs with the states of two actors and has a result.
 *
 * @param <S> type of the state of the first actor
 * @param <U> type of the state of the second actor
 * @param <T> type of the result
 */
@FunctionalInterface
public interface StatePairCallable<S, U, T extends @Nullable Object> {
    /**
     * Runs the code.
     *
     * @param first the state of the first actor, which no other thread uses meanwhile
     * @param second the state of the second actor, likewise
     * @return the result; a part of a state that other threads then use is no longer protected by its actor
     * @throws Exception any exception
     */
    T call(S first, U second) throws Exception;
}
