package io.fibry;

import java.util.Objects;

/**
 * Thrown if no answer came in time. The message names the actor that was asked, and tells how long the message was
 * queued and how long its handler ran.
 */
public final class AskTimeoutException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public AskTimeoutException(String message) {
        super(message);
    }

    private AskTimeoutException(String message, boolean writableStackTrace) {
        super(message, writableStackTrace);
    }

    /**
     * Makes an exception without a stack trace. It takes little time and memory, so there may be very many.
     *
     * @param message what happened, to which actor, and what to do
     * @return the exception
     */
    public static AskTimeoutException withoutStackTrace(String message) {
        return new AskTimeoutException(Objects.requireNonNull(message, "message"), false);
    }
}
