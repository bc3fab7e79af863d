package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The fields of a chunk that its senders use. A chunk is a node of the list, and no message. */
public abstract class ChunkIndex extends ChunkFront {
    private static final VarHandle INDEX =
            FieldAccess.of(MethodHandles.lookup(), "index", long.class);
    public static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    /**
     * The number of claims so far, those that came too late included. If the value is {@link Chunk#SEALED} or
     * more, no slot can be claimed. It has 64 bits, so claims that fail never make it overflow. Written by
     * senders, by addition or CAS; by the consumer, which seals the chunk by CAS.
     */
    public volatile long index = 1;
    /**
     * The entries that were not taken yet: messages without a node, and nodes. A sender fills its slot by
     * {@link #fill}; if there is no stack left for that, an assignment does, since the claim was a fence. An
     * element is written once by the sender that has claimed it, released; the thread that takes it clears it.
     * The thread that ends the wait for an answer may put {@link AskNode#OVER} in its place.
     */
    public final @Nullable Object[] slots;

    public ChunkIndex(@Nullable Object[] slots) {
        this.slots = slots;
    }

    /**
     * Claims a slot; if the result is the number of slots or more, there was none left. Called by senders. After a
     * claim a sender calls nothing that could fail before it has filled the slot.
     */
    public final long claim() {
        return (long) INDEX.getAndAdd(this, 1L);
    }

    /** Fills a slot that the calling thread has claimed. */
    public final void fill(int slot, Object entry) {
        SLOT.setRelease(slots, slot, entry);
    }

    /** As {@link #fill}, with a node that has its number. It is in no list, so its link can tell where it is. */
    public final void fillWith(int slot, Node node) {
        node.linkRelease(this);
        SLOT.setRelease(slots, slot, node);
    }

    /**
     * Takes a node that is over out of its slot, unless that was done. Called by the thread that has ended the wait for its
     * answer. If this chunk only follows the node, there is no such slot.
     *
     * <p>The turn may have taken the node at the same time, and may have put it into another list. So the link is
     * cleared only if it is still the one to this chunk.
     */
    final void replace(Node over) {
        var slot = over.seq - seq;
        // mutant: slot-of-an-ask-that-is-over-is-emptied
        if (slot >= 0 && slot < slots.length && SLOT.compareAndSet(slots, slot, over, AskNode.OVER)) {
            over.unlinkFrom(this);
        }
    }

    /** Does once what senders and those who end a wait do with a node in this slot. See the initializers of the chunks. */
    public final void rehearse(int slot) {
        var node = new StopNode(Reason.EXIT);
        node.seq = seq + slot;
        fillWith(slot, node);
        replace(node);
        node.unlink();
    }

    /** Notes that this entry was taken out of its slot. A node that is kept by its answer must not keep the chunk. */
    public static void left(@Nullable Object entry) {
        if (entry instanceof AskNode node) {
            node.unlink();
        }
    }

    public final boolean setIndex(long from, long to) {
        // mutant: chunk-is-sealed-over-a-claim
        return INDEX.compareAndSet(this, from, to);
    }

    final long addToIndex(long number) {
        return (long) INDEX.getAndAdd(this, number);
    }
}
