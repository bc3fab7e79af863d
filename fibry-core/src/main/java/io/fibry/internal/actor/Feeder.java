package io.fibry.internal.actor;

/** What brings an actor further messages when its own mailbox is empty. */
public interface Feeder {
    /** {@return whether the actor is to look for a message again} The call may have brought it one. */
    boolean feed();

    /** {@return whether there seems to be a message that the actor could get} The answer may be wrong. */
    boolean hasMessage();
}
