package io.fibry;

/** No answer came in time. The message says who was asked what, and how long it was queued and running. */
public final class AskTimeoutException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     */
    public AskTimeoutException(String message) {
        super(message);
    }
}
