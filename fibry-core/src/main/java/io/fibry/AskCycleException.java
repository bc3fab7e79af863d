package io.fibry;

/** The actor waits, directly or through others, for itself. The message spells the cycle out. */
public final class AskCycleException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to whom, and what to do
     */
    public AskCycleException(String message) {
        super(message);
    }
}
