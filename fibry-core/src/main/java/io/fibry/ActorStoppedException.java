package io.fibry;

/** Thrown if an actor has stopped before it could answer. */
public final class ActorStoppedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     */
    public ActorStoppedException(String message) {
        super(message);
    }
}
