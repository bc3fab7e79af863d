package io.fibry.cluster;

import io.fibry.ActorException;
import org.jspecify.annotations.Nullable;

/** Thrown if a cluster cannot do what is asked. The text says why, and what to do. */
public class ClusterException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message what happened, where, and what to do
     */
    public ClusterException(String message) {
        super(message);
    }

    /**
     * Makes the exception.
     *
     * @param message what happened, where, and what to do
     * @param cause the exception that caused it
     */
    public ClusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
