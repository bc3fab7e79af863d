package io.fibry.fsm;

/**
 * Makes the next state of a machine, for states that carry values. The machine calls it inside its actor, after the
 * action of the transition.
 *
 * @param <S> type of the state that is left
 * @param <T> type of the event
 * @param <D> type of the machine's data
 * @param <N> type of the next state
 */
@FunctionalInterface
public interface StateMaker<S, T, D, N> {
    /**
     * Makes the state.
     *
     * @param state the state that is left
     * @param event the event; for a time-out its duration
     * @param data the machine's data
     * @return the next state
     * @throws Exception if the step fails: the machine then stays in its state
     */
    N make(S state, T event, D data) throws Exception;
}
