package io.fibry.internal.signal;

import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.context.Carried;
import java.util.Optional;

/** A signal of a feature that has a message, which a receiving actor can take. Called by the turn of the actor. */
public abstract class Receivable extends Signal {
    /** Does nothing. */
    public static final Runnable NOTHING = Carried.restore(null);

    /** Returns the message; empty if this node is over. */
    public abstract Optional<Object> received();

    /** Claims the message, which is wanted; returns false if it does not count any more. */
    public boolean claim() {
        return true;
    }

    /** Notes that the actor takes the message. */
    public void take() {
    }

    /**
     * Returns an action to run when the actor has moved on from the message. The action runs after {@link
     * Node#clear}.
     */
    public Runnable afterwards() {
        return NOTHING;
    }
}
