package io.fibry.flow;

import io.fibry.ActorException;

/** Thrown to the consumer of a generator if a producer has thrown a checked exception, which is the cause. */
public final class GeneratorException extends ActorException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param message which generator has failed
     * @param cause what its producer has thrown
     */
    public GeneratorException(String message, Throwable cause) {
        super(message, cause);
    }
}
