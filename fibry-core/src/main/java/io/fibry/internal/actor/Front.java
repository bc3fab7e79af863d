package io.fibry.internal.actor;

import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The front of a mailbox: what an actor has taken from its mailbox and has not handled. It comes before what is in the
 * mailbox. The turn alone accesses it.
 */
public final class Front {
    private final Cell cell;
    /** What was put back, or not wanted by a receive, oldest first: nodes and bare messages. A {@link StopNode} is last. */
    private final PassedOver passedOver = new PassedOver();
    /** A node that was taken and that only another stack fits. It comes before all others. */
    private @Nullable Node moved;
    /** A feature whose messages come next; null if the actor has none. */
    private final @Nullable Feature ahead;

    private Front(Cell cell, @Nullable Feature ahead) {
        this.cell = cell;
        this.ahead = ahead;
    }

    /** Gives a new actor its front, with a feature whose messages come before all others. */
    public static void equip(Cell cell, @Nullable Feature ahead) {
        var extended = cell.extendedState();
        if (extended.front == null || ahead != null) {
            extended.front = new Front(cell, ahead);
        }
    }

    /** Returns the front of an actor that has one. */
    public static Front of(Cell cell) {
        return Objects.requireNonNull(cell.extendedState().front);
    }

    /** Returns the front of the actor, which gets one if it has none. Called by its turn. */
    public static Front inside(Turn turn) {
        var extended = turn.extendedState();
        var front = extended.front;
        if (front == null) {
            front = new Front(turn.cell, null);
            extended.front = front;
        }
        return front;
    }

    /** Takes the node to handle before those in the mailbox; returns null if there is none. */
    @Nullable Node poll() {
        var left = moved;
        if (left != null) {
            moved = null;
            count(0);
            return left;
        }
        var first = ahead == null ? null : ahead.next();
        if (first != null) {
            return first;
        }
        var oldest = passedOver.poll();
        if (oldest != null) {
            count(0);
        }
        return oldest == null ? null : MessageNode.of(oldest);
    }

    public boolean isEmpty() {
        return moved == null && passedOver.isEmpty() && (ahead == null || !ahead.hasNext());
    }

    /** Returns whether a feature has messages that may come before the node with which a turn begins. */
    boolean hasAhead() {
        return ahead != null;
    }

    /** Returns the node with which a turn begins; null if messages of a feature come before that node. */
    @Nullable Node firstOf(@Nullable Node token) {
        if (token == null || ahead == null || ahead.letsBegin(token)) {
            return token;
        }
        putBack(token);
        return null;
    }

    /** Returns whether all that is left comes after a poison pill. */
    public boolean isAtPill() {
        return passedOver.last() instanceof StopNode;
    }

    /** Returns what a selective receive looks through. The caller counts what it takes and adds, by {@link #count}. */
    public PassedOver passedOver() {
        return passedOver;
    }

    /** Puts a node back that was taken, so that the next turn handles it before those in the mailbox. */
    public void putBack(Node node) {
        passedOver.addFirst(node);
        count(0);
    }

    /** Puts a node back that only another stack fits, so that the next turn handles it first of all. */
    void putBackForAnotherStack(Node node) {
        // mutant: moved-message-is-lost
        moved = node;
        count(0);
    }

    /** Puts nodes in front of all others, in their order. */
    public void putBack(Deque<MessageNode> nodes) {
        for (var newest = nodes.descendingIterator(); newest.hasNext();) {
            passedOver.addFirst(newest.next());
        }
        count(0);
    }

    /** Counts all nodes that were taken and still wait, and those that are being tested. */
    public void count(int tested) {
        cell.passedOver(size() + tested, false);
    }

    /** Returns how many nodes were taken and still wait. */
    public int size() {
        return passedOver.size() + (moved == null ? 0 : 1);
    }
}
