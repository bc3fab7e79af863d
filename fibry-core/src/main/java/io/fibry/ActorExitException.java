package io.fibry;

/** Ends a receiving actor that is to stop: let it pass through. It is no failure. */
public final class ActorExitException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     */
    public ActorExitException(String message) {
        super(message);
    }
}
