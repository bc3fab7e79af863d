package io.fibry;

import org.jspecify.annotations.Nullable;

/** Thrown if a message was not handled and will not be handled, for a reason other than a stop or a full mailbox. */
public final class UndeliveredException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     * @param cause the exception that caused it, if there was one
     */
    public UndeliveredException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
