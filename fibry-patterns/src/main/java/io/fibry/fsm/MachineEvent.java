package io.fibry.fsm;

import java.time.Duration;

/**
 * A report of a machine to its listeners. Objects are immutable, as far as states and events are.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 */
public sealed interface MachineEvent<S, E> {
    /**
     * The machine has entered its initial state, for the first time or after a restart.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the initial state
     */
    record Begun<S, E>(S state) implements MachineEvent<S, E> {
    }

    /**
     * An event has led from one state to the next one, which may be the same state, entered again.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param from the state that was left
     * @param event the event
     * @param to the state that was entered
     */
    record Moved<S, E>(S from, E event, S to) implements MachineEvent<S, E> {
    }

    /**
     * A time-out has led from one state to the next one, which may be the same state.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param from the state that was left
     * @param after the duration of the time-out
     * @param to the state that was entered, or in which the machine has stayed
     */
    record TimedOut<S, E>(S from, Duration after, S to) implements MachineEvent<S, E> {
    }

    /**
     * An event was handled, and the machine has stayed in its state.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the state
     * @param event the event
     */
    record Stayed<S, E>(S state, E event) implements MachineEvent<S, E> {
    }

    /**
     * An event was put aside until the machine leaves its state.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the state
     * @param event the event
     */
    record Postponed<S, E>(S state, E event) implements MachineEvent<S, E> {
    }

    /**
     * An event that was postponed, or was to be postponed, was given up, since as many were postponed as may be.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the state
     * @param event the event
     */
    record Dropped<S, E>(S state, E event) implements MachineEvent<S, E> {
    }

    /**
     * The state has no transition for an event.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the state
     * @param event the event
     */
    record NotHandled<S, E>(S state, E event) implements MachineEvent<S, E> {
    }

    /**
     * A step has failed. The machine is in the state that it was in before.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param state the state
     * @param cause what a guard or an action has thrown
     */
    record StepFailed<S, E>(S state, Throwable cause) implements MachineEvent<S, E> {
    }
}
