package io.fibry.dump;

import java.util.Objects;

/**
 * A limit, and how far it is used.
 *
 * @param what what is limited: {@code WAITING_MESSAGES}, those in the mailboxes of the scope; {@code OPEN_ASKS}, those
 *     without an answer; or {@code RUNNING_ACTORS}, those that run at a time
 * @param taken how many places are taken
 * @param most how many places there are
 * @param heldBack how many threads, or actors with messages, wait for a place
 */
public record LimitUse(String what, int taken, int most, int heldBack) {
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
