package io.fibry.work;

import io.fibry.ActorException;

/** Thrown to those who wait for a value of a {@link Reserve} whose {@link Refill} has failed. */
public final class RefillFailedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which reserve has no value, and what to do
     * @param cause why the refill has failed
     */
    public RefillFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
