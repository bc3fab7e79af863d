package io.fibry.dump;

import java.util.Objects;

/**
 * A limit, and how far it is used.
 *
 * @param what the kind of limit: {@code WAITING_MESSAGES} in the mailboxes of the scope, {@code OPEN_ASKS} without an
 *     answer, or {@code RUNNING_ACTORS} at a time
 * @param taken how many places are taken
 * @param most how many places there are
 * @param heldBack how many threads, or actors with messages, wait for a place
 */
public record LimitUse(String what, int taken, int most, int heldBack) {
    /**
     * Checks the kind.
     *
     * @param what the kind of limit
     * @param taken how many places are taken
     * @param most how many places there are
     * @param heldBack how many wait for a place
     */
    public LimitUse {
        Objects.requireNonNull(what, "what");
    }

    /**
     * Returns whether no place is free.
     *
     * @return whether all places are taken
     */
    public boolean isFull() {
        return taken >= most;
    }
}
