package io.fibry.work;

import io.fibry.ActorException;

/** Thrown if as many wait for a {@link RateLimiter} as may. */
public final class TooManyWaitingException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message for what they wait, how many may, and what to do
     */
    public TooManyWaitingException(String message) {
        super(message);
    }
}
