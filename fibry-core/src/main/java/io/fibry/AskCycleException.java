package io.fibry;

/**
 * Thrown if an actor would wait for itself, directly or through other actors. The message shows the whole cycle. If the actor that
 * was asked could handle the ask while it waits, the message names {@link ActorBuilder#reentrant()}.
 */
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
