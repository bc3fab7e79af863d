package io.fibry.internal;

import io.fibry.event.Undelivered.Cause;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a mailbox. A sender makes it, links it and lets go of it; from the link on it belongs to
 * whoever runs the actor.
 */
abstract class Node {
    static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(Node.class, "next", Node.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Released by the sender of the next node, acquired by the consumer. */
    @Nullable Node next;

    /** Position in the mailbox, modulo 2^32: set before the node is linked. */
    int seq;

    /** Does what the node is there for, on the actor's turn. Throws nothing. */
    abstract void handle(Turn turn);

    /** The strategy has refused to run the actor, and this turn is for clearing up. */
    void refused(Turn turn, Throwable why) {
        turn.cell.lose(this, Cause.STRATEGY_REFUSED, why);
        turn.skipped();
    }

    /** Tells whoever waits for this node that it will not be handled. */
    void lost(Cell cell, Cause cause, @Nullable Throwable why) {
    }

    /** Control nodes are the engine's own: they go past the bound and meet no fate. */
    boolean isControl() {
        return false;
    }

    /** What to show in reports. Not for control nodes. */
    Object content() {
        throw new AssertionError(getClass() + " is no message");
    }

    /** Lets go of the user's objects: a mailbox keeps its last node, which must not keep them. */
    void clear() {
    }

    /** Whether nobody wants it handled any more. */
    boolean isOver() {
        return false;
    }

    final @Nullable Node nextAcquire() {
        return (Node) NEXT.getAcquire(this);
    }

    final void linkRelease(Node successor) {
        NEXT.setRelease(this, successor);
    }

    /**
     * Lets go of the successor. A handled node may be old to the garbage collector while its successors are
     * young; the link would keep each of them alive until the next full collection.
     */
    final void unlink() {
        NEXT.setRelease(this, (Node) null);
    }
}
