package io.fibry.fsm;

import io.fibry.ActorException;

/** Thrown if the state of a machine has no transition for an event. */
public final class UnhandledEventException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which machine, which state, which event, and what to do
     */
    public UnhandledEventException(String message) {
        super(message);
    }
}
