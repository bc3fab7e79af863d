package io.fibry;

/**
 * The thread was interrupted while it waited for an actor. Its interrupt flag is set again, and what it
 * waited for goes on.
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
