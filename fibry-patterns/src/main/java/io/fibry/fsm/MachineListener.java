package io.fibry.fsm;

/**
 * Hears what a machine does. The machine calls it inside its actor, in the order of its steps, so a listener should be
 * quick. If it throws, that is reported to the listeners of the scope, and the machine goes on.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 */
@FunctionalInterface
public interface MachineListener<S, E> {
    /**
     * Hears of something.
     *
     * @param event what the machine has done
     */
    void on(MachineEvent<S, E> event);
}
