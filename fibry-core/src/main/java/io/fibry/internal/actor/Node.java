package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import io.fibry.internal.context.SendSite;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A position in a mailbox: a {@link MessageNode}, a {@link Signal}, or a {@link Chunk} of many messages. A sender makes
 * it, links it and drops its reference. From the link on the node belongs to the thread that runs the actor.
 */
public abstract class Node {
    static final VarHandle NEXT =
            FieldAccess.of(MethodHandles.lookup(), "next", Node.class);

    /**
     * The next node. Written by its sender (release) and cleared by the consumer. A node in a slot refers to
     * its chunk from before the slot, until the thread that replaces it there clears this by CAS.
     */
    public @Nullable Node next;

    /** The value of {@link #seq} of a node that a handler has put aside. */
    public static final int ASIDE = Integer.MIN_VALUE;

    /**
     * The position in the mailbox, modulo 2^32. Written by the sender before the node is linked. Unbounded: an early
     * read only makes the depth an estimate.
     */
    public int seq;

    /**
     * Returns whether this node belongs to the engine, and is no message: it ignores the bound, and its loss is not reported.
     */
    public final boolean isControl() {
        return !(this instanceof MessageNode);
    }

    /** Returns whether this node takes a place of a bounded mailbox. Called only for nodes that ignore the bound. */
    public boolean takesPlace() {
        return true;
    }

    /** Returns what travels with this node from the thread of the sender to that of the handler. */
    public @Nullable Carried carried() {
        return null;
    }

    /** Returns where this node was sent from; null if that was not remembered. */
    public final @Nullable SendSite sentFrom() {
        var context = carried();
        return context == null ? null : context.sentFrom();
    }

    /**
     * Returns whether the node may be handled on the calling thread in its present state: see {@link
     * Carried#fits}.
     */
    public boolean fits() {
        return true;
    }

    /** Returns whether handling this node may wait for other nodes of its actor. */
    public boolean waitsForNodes() {
        return false;
    }

    /**
     * Drops the references to the user's objects: a mailbox keeps its last node, which must not keep them
     * reachable.
     */
    public void clear() {
    }

    /** Returns whether this node is over: nothing waits for it to be handled any more. */
    public boolean isOver() {
        return false;
    }

    public final @Nullable Node nextAcquire() {
        return (Node) NEXT.getAcquire(this);
    }

    private @Nullable Node pollNext() {
        var successor = nextAcquire();
        if (successor != null) {
            unlink();
        }
        return successor;
    }

    /** Returns the number of the newest entry here; zero if its sender has not numbered it yet. Called by any thread. */
    public final int newest() {
        return this instanceof Chunk chunk ? chunk.newestNumber() : seq;
    }

    /** Returns the number of the entry that was taken here last. Called by any thread. */
    public final int taken() {
        return this instanceof Chunk chunk ? chunk.takenNumber() : seq;
    }

    /**
     * Returns the position after this one: the chunk itself if its next entry is there, or the successor; null if there
     * is neither yet. {@link #entry} then takes what is there. Called by the consumer of a mailbox that consists of its
     * links alone.
     */
    public final @Nullable Node advance() {
        if (this instanceof Chunk chunk && !chunk.isExhausted()) {
            return chunk.isFilled() ? chunk : null;
        }
        return pollNext();
    }

    /** Returns whether {@link #advance} would return a position. */
    public final boolean hasNext() {
        if (this instanceof Chunk chunk && !chunk.isExhausted()) {
            return chunk.isFilled();
        }
        return nextAcquire() != null;
    }

    /** Takes what is at this position: a node, or a message without one. */
    public final Object entry() {
        return this instanceof Chunk chunk ? chunk.take() : this;
    }

    /** As {@link #entry}, and puts a message that has no node into one. */
    public final Node entryAsNode() {
        return this instanceof Chunk chunk ? chunk.takeAsNode() : this;
    }

    public final void linkRelease(Node successor) {
        NEXT.setRelease(this, successor);
    }

    /** Drops the link to this node, if it is the present one. */
    final void unlinkFrom(Node from) {
        NEXT.compareAndSet(this, from, (Node) null);
    }

    /**
     * Drops the link to the successor. The garbage collector may have promoted a handled node to the old
     * generation while its successors are young; the link would keep each of them alive until the next full
     * collection.
     */
    public final void unlink() {
        NEXT.setRelease(this, (Node) null);
    }
}
