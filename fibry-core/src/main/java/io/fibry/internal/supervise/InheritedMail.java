package io.fibry.internal.supervise;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.memory.Interleave;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The nodes that waited for a member of a group when it ended, for its successor. An actor that ends adds its nodes
 * before its name is free. The successor takes them together with the name. If there will be no successor, the group
 * first sets {@code over} and then takes the nodes. An actor that adds a node does this first and then reads {@code
 * over}. So one of the two reports each message, even if a member that nothing could stop ends very late.
 */
final class InheritedMail implements Inheritance {
    private final Cell group;
    private final Queue<MessageNode> nodes = new ConcurrentLinkedQueue<>();
    /** Set by the group, which then takes the nodes; a member adds a node and then reads this. */
    private volatile boolean over;

    InheritedMail(Cell group) {
        this.group = group;
    }

    @Override
    public Cell target() {
        return group;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    /** Adds a node that an actor has not handled before its end. */
    @Override
    public void add(Cell dead, Node node) {
        if (!(node instanceof MessageNode message)) {
            node.clear();
            return;
        }
        // mutant: messages-of-a-member-are-lost-with-it
        nodes.add(message);
        assert Interleave.here();
        // mutant: late-member-leaves-its-messages-to-nobody
        if (over) {
            lose(dead);
        }
    }

    /**
     * Gives all nodes to a new actor, whose mailbox is busy and which no other thread knows yet. The actor gets
     * copies of the nodes, since other threads may still read the old mailbox.
     */
    @Override
    public void passTo(Cell heir) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            var mine = node.forHeir(heir);
            if (mine == null) {
                heir.lose(node, Cause.STOPPED_BEFORE_TURN, null);
            } else {
                heir.offerPastBound(mine);
            }
        }
    }

    /** Loses all nodes, since there will be no successor. */
    void end(Cell dead) {
        over = true;
        assert Interleave.here();
        lose(dead);
    }

    private void lose(Cell dead) {
        for (var node = nodes.poll(); node != null; node = nodes.poll()) {
            dead.lose(node, Cause.STOPPED_BEFORE_TURN, null);
        }
    }
}
