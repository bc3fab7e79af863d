package io.fibry;

/** Thrown if an actor would wait for itself, directly or through other actors. The message shows the whole cycle. */
public final class AskCycleException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public AskCycleException(String message) {
        super(message);
    }
}
