package io.fibry;

/** Ends the code of a receiving actor that has to stop. The code should not catch it. It is no failure. */
public final class ActorExitException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public ActorExitException(String message) {
        super(message);
    }
}
