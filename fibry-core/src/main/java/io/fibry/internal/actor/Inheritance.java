package io.fibry.internal.actor;

/**
 * The nodes that an actor leaves at its end, and that its successor takes over, if it has one. As an edge, it leads from the
 * actor that has ended to the actor that starts the successor: an asker whose message is left waits for that one.
 */
public interface Inheritance extends Waiting {
    /** Adds a node that an actor has not handled. */
    void add(Cell dead, Node node);

    /** Passes all nodes to the successor. Its mailbox is busy, and no other thread knows it yet. */
    void passTo(Cell heir);
}
