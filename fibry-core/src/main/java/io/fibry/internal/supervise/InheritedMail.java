package io.fibry.internal.supervise;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Inheritance;
import io.fibry.internal.actor.Node;
import io.fibry.internal.memory.Interleave;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What waited for a member of a group when it ended, for its successor. The one that ends adds to it before its name is free;
 * the successor takes it together with the name. If none will come, the group says so and then takes what is there; who adds
 * does that first and then looks whether the group has said so. So one of the two reports each message, however late a member
 * ends that nothing could stop.
 */
final class InheritedMail implements Inheritance {
    private final Queue<Node> nodes = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    /** A node that this actor has not handled. */
    @Override
    public void add(Cell dead, Node node) {
        if (node.isControl()) {
            node.clear();
            return;
        }
        // mutant: messages-of-a-member-are-lost-with-it
        nodes.add(node);
        Interleave.here();
        // mutant: late-member-leaves-its-messages-to-nobody
        if (over) {
            lose(dead);
        }
    }

    /**
     * Gives all to a new actor, whose mailbox is busy, and which nobody knows yet. The nodes are others: the old mailbox may
     * still be looked at.
     */
    @Override
    public void passTo(Cell heir) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            var mine = node.forHeir(heir);
            if (mine == null) {
                heir.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            } else {
                node.clear(); // places that it has taken are free: the copy takes none
                heir.offerPastBound(mine);
            }
        }
    }

    /** There is no successor, and none will come. */
    void end(Cell dead) {
        over = true;
        Interleave.here();
        lose(dead);
    }

    private void lose(Cell dead) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            dead.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        }
    }
}
