package io.fibry.fsm;

/**
 * What a machine does when it enters or leaves a state. The machine runs it inside its actor, so the action may block.
 *
 * @param <S> type of the state
 * @param <E> type of the machine's events
 * @param <D> type of the machine's data
 */
@FunctionalInterface
public interface StateAction<S, E, D> {
    /**
     * Acts.
     *
     * @param step the step that the machine makes, in the state that it enters or leaves
     * @throws Exception if the step fails: the machine then stays in the state that it was about to leave
     */
    void run(Step<S, E, D> step) throws Exception;
}
