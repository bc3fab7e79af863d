package io.fibry.event;

/**
 * An actor has stopped: its exit hooks have run and its name is free.
 *
 * @param actor its name
 * @param reason why the actor stopped
 */
public record Stopped(String actor, Reason reason) implements ActorEvent {
    /** Why an actor stopped. */
    public enum Reason {
        /** The actor was asked to exit after the current message, or asked for it itself. */
        EXIT,
        /** The actor was asked to stop after the messages that were queued. */
        POISON_PILL,
        /** A handler failed and the policy was to stop. */
        FAILURE,
        /** The actor had nothing to do for as long as its builder allows. */
        IDLE,
        /** The deadline of a stop passed, and the actor was interrupted. */
        FORCED,
        /** An actor that this one was linked to has ended abnormally. */
        LINKED;

        /**
         * Tells whether the actor ended without having been asked to in good time.
         *
         * @return true for a failure, a forced end, and the end of a linked actor
         */
        public boolean isAbnormal() {
            return this == FAILURE || this == FORCED || this == LINKED;
        }
    }
}
