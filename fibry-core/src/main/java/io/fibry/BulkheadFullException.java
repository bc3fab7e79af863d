package io.fibry;

import java.io.Serial;

/** A call that was refused, since too many wait already. */
public final class BulkheadFullException extends ActorException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was refused, and why
     */
    public BulkheadFullException(String message) {
        super(message);
    }
}
