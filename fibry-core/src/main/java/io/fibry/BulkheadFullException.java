package io.fibry;

import java.io.Serial;

/** Thrown by a bulkhead that refuses a call because too many calls wait already. */
public final class BulkheadFullException extends ActorException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what was refused, and why
     */
    public BulkheadFullException(String message) {
        super(message);
    }
}
