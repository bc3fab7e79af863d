package io.fibry.function;

/**
 * Code that runs with the states of two actors.
 *
 * @param <S> type of the state of the first actor
 * @param <U> type of the state of the second actor
 */
@FunctionalInterface
public interface StatePairBody<S, U> {
    /**
     * Runs the code.
     *
     * @param first the state of the first actor, which no other thread uses meanwhile
     * @param second the state of the second actor, likewise
     * @throws Exception any exception
     */
    void run(S first, U second) throws Exception;
}
