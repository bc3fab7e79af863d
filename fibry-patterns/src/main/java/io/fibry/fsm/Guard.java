package io.fibry.fsm;

/**
 * Decides whether a transition is taken. A guard looks and changes nothing: it may be called for an event that another
 * transition takes in the end. The machine calls it inside its actor.
 *
 * @param <S> type of the state
 * @param <T> type of the event
 * @param <D> type of the machine's data
 */
@FunctionalInterface
public interface Guard<S, T, D> {
    /**
     * Decides. What this method throws fails the event, as if the action had thrown it: no further row is tried, and the
     * machine stays as it is.
     *
     * @param state the present state
     * @param event the event; for a time-out its duration
     * @param data the machine's data
     * @return true if the transition may be taken
     */
    boolean test(S state, T event, D data);
}
