package io.fibry.internal.mailbox;

import io.fibry.internal.actor.Chunk;
import io.fibry.internal.actor.Node;
import io.fibry.internal.run.Backoff;

/** Waits for a link, or for an entry of a chunk, that a sender is about to set. */
public final class PendingLink {
    private PendingLink() {
    }

    /** Returns the successor of a node, which has been announced. Its sender runs, or waits for a processor. */
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

    /** Waits until the next slot of a chunk is filled, which a sender has claimed. */
    static void awaitEntry(Chunk chunk) {
        var backoff = new Backoff();
        while (!chunk.isFilled()) {
            backoff.pause();
        }
    }
}
