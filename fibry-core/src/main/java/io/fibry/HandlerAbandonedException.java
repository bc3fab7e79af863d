package io.fibry;

import java.time.Duration;

/**
 * A handler did not end in time, not even when it was interrupted: its actor goes on without it, on another thread. See
 * {@link ActorBuilder#abandonStuck}.
 *
 * <p>As the failure of the message it is told as {@link io.fibry.event.Failed}, decided on by the
 * {@link FailurePolicy}, and what an ask fails with; its stack trace is then that of the thread that was abandoned, at
 * that moment. The abandoned thread itself gets another one wherever it goes on as if it were the actor.
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
     * @param message what happened, to whom, and what to do
     * @param actor the actor's name
     * @param runningFor how long the handler had worked on the message when it was abandoned
     */
    public HandlerAbandonedException(String message, String actor, Duration runningFor) {
        super(message);
        this.actor = actor;
        this.runningFor = runningFor;
    }

    /**
     * Whose handler it was.
     *
     * @return the actor's name
     */
    public String actor() {
        return actor;
    }

    /**
     * How long the handler had worked on the message when it was abandoned.
     *
     * @return the time, by the clock of the actor's scope
     */
    public Duration runningFor() {
        return runningFor;
    }
}
