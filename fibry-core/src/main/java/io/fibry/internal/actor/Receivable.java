package io.fibry.internal.actor;

import java.util.Optional;

/**
 * A node of a feature whose message a receiving actor can take. Called by the turn of the actor.
 */
public interface Receivable {
    Runnable NOTHING = () -> {
    };

    /** Returns the message; empty if this node is over. */
    Optional<Object> received();

    /** Claims the message, which is wanted; returns false if it does not count any more. */
    default boolean claim() {
        return true;
    }

    /** Notes that the actor takes the message. */
    default void take() {
    }

    /**
     * Returns an action to run when the actor has moved on from the message. The action runs after {@link
     * Node#clear}.
     */
    default Runnable afterwards() {
        return NOTHING;
    }
}
