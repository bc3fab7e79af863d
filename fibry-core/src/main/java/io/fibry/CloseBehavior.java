package io.fibry;

/** What {@link Actor#close()} does. */
public enum CloseBehavior {
    /** Stop after the current message; do not wait. */
    ASK_EXIT,
    /** Stop after the current message; wait until the actor has stopped. */
    ASK_EXIT_AND_WAIT,
    /** Stop after what is queued now; do not wait. */
    SEND_POISON_PILL,
    /** Stop after what is queued now; wait until the actor has stopped. The default. */
    SEND_POISON_PILL_AND_WAIT
}
