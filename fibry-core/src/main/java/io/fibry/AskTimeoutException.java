package io.fibry;

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
}
