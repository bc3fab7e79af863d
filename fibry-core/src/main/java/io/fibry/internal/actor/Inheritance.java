package io.fibry.internal.actor;

/**
 * The nodes that an actor leaves at its end, and that its successor takes over, if it has one.
 */
public interface Inheritance {
    /** Adds a node that an actor has not handled. */
    void add(Cell dead, Node node);

    /** Passes all nodes to the successor. Its mailbox is busy, and no other thread knows it yet. */
    void passTo(Cell heir);
}
