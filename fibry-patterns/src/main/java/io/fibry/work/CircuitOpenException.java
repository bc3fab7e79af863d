package io.fibry.work;

import io.fibry.ActorException;

/** Thrown if a {@link CircuitBreaker} refuses a call, since too many calls have failed. */
public final class CircuitOpenException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which breaker, why, and what to do
     */
    public CircuitOpenException(String message) {
        super(message);
    }
}
