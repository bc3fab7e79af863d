package io.fibry.fsm;

/**
 * Code that a machine runs when it takes a transition. It runs inside the actor of the machine, so it may block.
 *
 * @param <S> type of the state
 * @param <E> type of the machine's events
 * @param <D> type of the machine's data
 * @param <T> type of the event of this transition
 */
@FunctionalInterface
public interface Action<S, E, D, T> {
    /**
     * Acts.
     *
     * @param step the step that the machine makes, in the state that it leaves
     * @param event the event; for a time-out its duration
     * @throws Exception if the step fails: the machine then stays in its state
     */
    void run(Step<S, E, D> step, T event) throws Exception;
}
