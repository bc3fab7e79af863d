package io.fibry;

/** Determines what {@link Actor#close()} does. From inside the actor {@code close} never waits. */
public enum CloseBehavior {
    /** The actor stops after the current message. The call does not wait. */
    ASK_EXIT,
    /** The actor stops after the current message. The call waits for its end. */
    ASK_EXIT_AND_WAIT,
    /** The actor stops after the messages that are queued now. The call does not wait. */
    SEND_POISON_PILL,
    /** The actor stops after the messages that are queued now. The call waits for its end. This is the default. */
    SEND_POISON_PILL_AND_WAIT
}
