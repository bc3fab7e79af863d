package io.fibry.internal.actor;

/**
 * A feature that has to know when an actor begins and ends to handle a message. Called by the actor's turn.
 */
public interface MessageObserver {
    /**
     * The turn is about to handle an entry of the mailbox: a node, or a message that has none. Returns false if the
     * turn does not handle it now, because it was given to a reader or put back.
     */
    boolean begins(Turn turn, Object entry);

    void onEnd();

    /**
     * The turn is about to handle an ask in the middle of a handler that waits. That handler goes on after {@link
     * #onEndInside}.
     */
    void beginsInside(Node entry);

    void onEndInside();

    /** Returns the observer inside of this one; this one itself if there is none. */
    default MessageObserver innermost() {
        return this;
    }
}
