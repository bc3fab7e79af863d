package io.fibry.event;

/**
 * An actor has stopped: its exit hooks have run and its name is free.
 *
 * @param actor its name
 * @param reason why
 */
public record Stopped(String actor, Reason reason) implements ActorEvent {
    /** Why an actor stopped. */
    public enum Reason {
        /** It was asked to exit after the current message, or asked for it itself. */
        EXIT,
        /** It was asked to stop after what was queued. */
        POISON_PILL,
        /** A handler failed and the policy was to stop. */
        FAILURE,
        /** A stop's deadline passed and it was interrupted. */
        FORCED
    }
}
