package io.fibry;

import org.jspecify.annotations.Nullable;

/** The superclass of the exceptions that Fibry throws. */
public class ActorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public ActorException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     * @param cause the exception that caused it
     */
    public ActorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** {@return the name of the class that was thrown} If another process has thrown it, it is the class there. */
    public String className() {
        return getClass().getName();
    }

    /** Makes an exception without a stack trace, for failures of which there may be very many. */
    ActorException(String message, boolean writableStackTrace) {
        super(message, null, true, writableStackTrace);
    }
}
