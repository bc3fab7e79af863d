package io.fibry.function;

/**
 * A piece of code that runs inside an actor with the state of the actor. It may block and may throw anything.
 *
 * @param <S> type of the state
 */
@FunctionalInterface
public interface StateBody<S> {
    /**
     * Runs the code.
     *
     * @param state the actor's state, which no other thread uses meanwhile
     * @throws Exception any exception
     */
    void run(S state) throws Exception;
}
