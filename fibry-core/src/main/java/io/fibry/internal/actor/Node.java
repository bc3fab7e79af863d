package io.fibry.internal.actor;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a mailbox. A sender makes it, links it and lets go of it; from the link on it belongs to
 * whoever runs the actor.
 */
public abstract class Node {
    static final VarHandle NEXT =
            FieldAccess.of(MethodHandles.lookup(), "next", Node.class);

    /** Released by the sender of the next node, acquired by the consumer. */
    public @Nullable Node next;

    /** Position in the mailbox, modulo 2^32: set before the node is linked. */
    public int seq;

    /** Does what the node is there for, on the actor's turn. Throws nothing. */
    public abstract void handle(Turn turn);

    /** The strategy has refused to run the actor, and this turn is for clearing up. */
    public void refused(Turn turn, Throwable why) {
        turn.cell.lose(this, Cause.STRATEGY_REFUSED, why);
        turn.skipped();
    }

    /** Tells whoever waits for this node that it will not be handled. */
    void lost(Cell cell, Object content, Cause cause, @Nullable Throwable why) {
    }

    /** Control nodes are the engine's own: they go past the bound and meet no fate. */
    public boolean isControl() {
        return false;
    }

    /** The same that has taken these places. Before it is sent; control nodes take none. */
    Node counted(Permit permit) {
        return this;
    }

    /** The same once more, to be put at the back of a mailbox; null if it may be dropped to make room. */
    public @Nullable Node again() {
        return null;
    }

    /** The same for an actor that takes the place of the one it waited for; null if nobody wants it handled. */
    public @Nullable Node forHeir(Cell heir) {
        return null;
    }

    /** What to show in reports; null if nobody wants it handled any more. Not for control nodes. */
    public @Nullable Object content() {
        throw new AssertionError(getClass() + " is no message");
    }

    /** What goes with it from its sender's thread to its handler's. */
    public @Nullable Carried carried() {
        return null;
    }

    /** Whether it may be handled on the calling thread, as that is now: see {@link Carried#fits}. */
    public boolean fits() {
        return true;
    }

    /** Lets go of the user's objects: a mailbox keeps its last node, which must not keep them. */
    public void clear() {
    }

    /** Whether nobody wants it handled any more. */
    public boolean isOver() {
        return false;
    }

    public final @Nullable Node nextAcquire() {
        return (Node) NEXT.getAcquire(this);
    }

    /** Takes the successor. By the consumer of a mailbox that is nothing but its links. */
    public final @Nullable Node pollNext() {
        var successor = nextAcquire();
        if (successor != null) {
            unlink();
        }
        return successor;
    }

    public final void linkRelease(Node successor) {
        NEXT.setRelease(this, successor);
    }

    /**
     * Lets go of the successor. A handled node may be old to the garbage collector while its successors are
     * young; the link would keep each of them alive until the next full collection.
     */
    public final void unlink() {
        NEXT.setRelease(this, (Node) null);
    }
}
