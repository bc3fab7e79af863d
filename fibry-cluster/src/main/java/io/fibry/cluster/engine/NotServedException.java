package io.fibry.cluster.engine;

/** Thrown if this node does not see the majority of the cluster, or has left it. */
public final class NotServedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception.
     *
     * @param message what is missing, and what to do
     */
    public NotServedException(String message) {
        super(message);
    }
}
