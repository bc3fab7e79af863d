package io.fibry;

import org.jspecify.annotations.Nullable;

/** The message was neither handled nor will it be, for a reason other than stop or a full mailbox. */
public final class UndeliveredException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     * @param cause what led to it, if anything was thrown
     */
    public UndeliveredException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
