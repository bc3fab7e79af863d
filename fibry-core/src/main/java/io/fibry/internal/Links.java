package io.fibry.internal;

/** Waits for a link that a sender is about to set. */
final class Links {
    private static final int SPINS = 64;

    private Links() {
    }

    /** The successor of a node that has been announced. Its sender runs, or waits for a processor. */
    static Node await(Node node) {
        for (int spins = 0;; spins++) {
            var next = node.nextAcquire();
            if (next != null) {
                return next;
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
