package io.fibry.dump;

import java.util.Objects;

/**
 * A limit, and how far it is used.
 *
 * @param what what is limited
 * @param taken how many places are taken
 * @param most how many places there are
 * @param heldBack how many threads, or actors with messages, wait for a place
 */
public record LimitUse(What what, int taken, int most, int heldBack) {
    /** The things that a limit counts. */
    public enum What {
        /** Messages that wait in the mailboxes of the scope. */
        WAITING_MESSAGES,
        /** Asks without an answer. */
        OPEN_ASKS,
        /** Actors of the scope that run at a time. */
        RUNNING_ACTORS
    }

    /**
     * Checks what is limited.
     *
     * @param what what is limited
     * @param taken how many places are taken
     * @param most how many places there are
     * @param heldBack how many wait for a place
     */
    public LimitUse {
        Objects.requireNonNull(what, "what");
    }

    /**
     * Returns whether there is no place.
     *
     * @return whether all places are taken
     */
    public boolean isFull() {
        return taken >= most;
    }
}
