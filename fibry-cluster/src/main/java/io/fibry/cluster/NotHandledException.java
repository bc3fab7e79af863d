package io.fibry.cluster;

/** Thrown if it is certain that no handler has seen a message, and that none will. It may be sent again. */
public final class NotHandledException extends ClusterException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, where, and what to do
     */
    public NotHandledException(String message) {
        super(message);
    }

    NotHandledException(String message, Throwable cause) {
        super(message, cause);
    }
}
