package io.fibry;

/** What follows when a handler throws. The failure itself is always reported, once. */
public sealed interface FailurePolicy {
    /**
     * Go on with the next message. The default.
     *
     * @return the policy
     */
    static FailurePolicy resume() {
        return new Resume();
    }

    /**
     * Stop the actor; what is queued becomes undelivered.
     *
     * @return the policy
     */
    static FailurePolicy stop() {
        return new Stop();
    }

    /** Go on with the next message. */
    record Resume() implements FailurePolicy {
    }

    /** Stop the actor. */
    record Stop() implements FailurePolicy {
    }
}
