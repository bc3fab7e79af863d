package io.fibry.internal.actor;

/** Starts a turn of an idle actor from a node. */
public record Start(Cell cell, Node node) implements Runnable {
    @Override
    public void run() {
        cell.start(node);
    }
}
