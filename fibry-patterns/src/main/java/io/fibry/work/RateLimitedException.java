package io.fibry.work;

import io.fibry.ActorException;

/** Thrown if a {@link RateLimiter} refuses a call, since as many calls wait for it as may. */
public final class RateLimitedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which limiter, how many wait, and what to do
     */
    public RateLimitedException(String message) {
        super(message);
    }
}
