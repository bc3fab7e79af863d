package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What waited for a member of a group when it ended, for its successor. Written by the one that ends, then, when that
 * has been told, by the group, which starts the successor: each happens before the next.
 */
final class Heritage {
    private final Queue<Node> nodes = new ArrayDeque<>();

    void add(Node node) {
        if (node.isControl()) {
            node.clear();
        } else {
            nodes.add(node);
        }
    }

    /**
     * Gives all to a new actor that nobody knows yet; the node that its first turn starts with, if any. The nodes are
     * others: the old mailbox may still be looked at.
     */
    @Nullable Node passTo(Cell heir, @Nullable Node before) {
        var starts = before;
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            var mine = node.forHeir(heir);
            if (mine == null) {
                heir.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            } else {
                node.clear(); // places that it has taken are free: the copy takes none
                if (heir.offerPastBound(mine) == Cell.Offer.WAKE) {
                    starts = mine;
                }
            }
        }
        return starts;
    }

    /** There is no successor. */
    void lose(Cell dead) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            dead.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        }
    }
}
