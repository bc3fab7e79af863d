package io.fibry;

import org.jspecify.annotations.Nullable;

/** The root of what Fibry throws. */
public class ActorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     */
    public ActorException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     * @param cause what led to it
     */
    public ActorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
