package io.fibry.internal.actor;

/**
 * A feature that has to know when an actor begins and ends to handle a message. Called by the actor's turn.
 */
public interface MessageObserver {
    /** The turn begins to handle an entry of the mailbox: a node, or a message that has none. */
    void onBegin(Object entry);

    void onEnd();
}
