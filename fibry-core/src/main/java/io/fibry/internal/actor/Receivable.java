package io.fibry.internal.actor;

import java.util.Optional;

/** A node of a feature whose message a receiving actor can take. Called by the turn of the actor. */
public interface Receivable {
    /** Returns the message; empty if nobody wants it handled any more. */
    Optional<Object> received();

    /** Claims the message, which is wanted; false if it does not count any more. */
    default boolean claim() {
        return true;
    }

    /** The actor takes the message. */
    default void take() {
    }

    /** The actor has moved on from the message. Called after {@link Node#clear}. */
    default Runnable afterwards() {
        return () -> {
        };
    }
}
