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
        /** It had nothing to do for as long as it may. */
        IDLE,
        /** A stop's deadline passed and it was interrupted. */
        FORCED,
        /** An actor that it was linked to has ended abnormally. */
        LINKED;

        /**
         * Whether it was not an end that somebody had asked for in good time.
         *
         * @return true for a failure, a forced end, and the end of one that it was linked to
         */
        public boolean isAbnormal() {
            return this == FAILURE || this == FORCED || this == LINKED;
        }
    }
}
