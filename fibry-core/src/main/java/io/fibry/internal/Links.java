package io.fibry.internal;

/** Waits for a link that a sender is about to set. */
final class Links {
    private Links() {
    }

    /** The successor of a node that has been announced. Its sender runs, or waits for a processor. */
    static Node await(Node node) {
        var backoff = new Backoff();
        while (true) {
            var next = node.nextAcquire();
            if (next != null) {
                return next;
            }
            backoff.pause();
        }
    }
}
