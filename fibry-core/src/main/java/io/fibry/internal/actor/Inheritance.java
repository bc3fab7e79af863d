package io.fibry.internal.actor;

/** Where the mail goes that an actor leaves, if it may have a successor. */
public interface Inheritance {
    /** Adds a node that an actor has not handled. */
    void add(Cell dead, Node node);

    /** Gives all nodes to the successor, whose mailbox is busy and which nobody knows yet. */
    void passTo(Cell heir);
}
