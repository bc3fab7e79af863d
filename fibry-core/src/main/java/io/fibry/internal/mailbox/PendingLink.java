package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Node;
import io.fibry.internal.run.Backoff;

/**
 * Waits for a link that a sender is about to set.
 */
public final class PendingLink {
    private PendingLink() {
    }

    /**
     * Returns the successor of a node, which has been announced. Its sender runs, or waits for a processor.
     */
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
