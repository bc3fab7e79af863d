package io.fibry;

/**
 * Thrown if a thread is interrupted while it waits for an actor. The interrupt flag of the thread is set again. The
 * operation for which it waited goes on.
 */
public final class ActorInterruptedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what was waited for
     */
    public ActorInterruptedException(String message) {
        super(message);
    }
}
