package io.fibry;

import java.time.Duration;

/**
 * Tells that a handler did not end in time, even though it was interrupted. Its actor goes on without it, on another
 * thread. See {@link ActorBuilder#abandonStuck}.
 *
 * <p>This exception is the failure of the message: it is reported as {@link io.fibry.event.Failed}, the {@link
 * FailurePolicy} decides what follows, and an ask fails with it. Its stack trace is then that of the abandoned thread
 * at the moment when it was abandoned. The abandoned thread itself gets another exception of this class wherever it
 * goes on as if it were the actor.
 */
public final class HandlerAbandonedException extends ActorException {
    private static final long serialVersionUID = 1L;

    /** The actor's name. */
    private final String actor;
    /** How long the handler had worked. */
    private final Duration runningFor;

    /**
     * Makes the exception.
     *
     * @param message what happened, to which actor, and what to do
     * @param actor the name of the actor
     * @param runningFor how long the handler had worked on the message when it was abandoned
     */
    public HandlerAbandonedException(String message, String actor, Duration runningFor) {
        super(message);
        this.actor = actor;
        this.runningFor = runningFor;
    }

    /**
     * Returns the name of the actor whose handler it was.
     *
     * @return the name
     */
    public String actor() {
        return actor;
    }

    /**
     * Returns how long the handler had worked on the message when it was abandoned.
     *
     * @return the time, by the clock of the actor's scope
     */
    public Duration runningFor() {
        return runningFor;
    }
}
