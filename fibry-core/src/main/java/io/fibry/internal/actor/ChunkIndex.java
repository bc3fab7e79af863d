package io.fibry.internal.actor;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a chunk that its senders use. A chunk is a node of the list, and no message.
 */
abstract class ChunkIndex extends ChunkFront {
    private static final VarHandle INDEX =
            FieldAccess.of(MethodHandles.lookup(), "index", long.class);

    /**
     * The number of claims so far, those that came too late included. If the value is {@link Chunk#SEALED} or more,
     * no slot can be claimed. It has 64 bits, so claims that fail never make it overflow.
     */
    volatile long index = 1;
    /**
     * The entries that were not taken yet: messages without a node, and nodes. A sender fills its slot by {@link
     * Chunk#fill}; if there is no stack left for that, an assignment does, since the claim was a fence.
     */
    public final @Nullable Object[] slots;

    ChunkIndex(@Nullable Object[] slots) {
        this.slots = slots;
    }

    /**
     * Claims a slot; if the result is the number of slots or more, there was none left. Called by senders. After a
     * claim a sender calls nothing that could fail before it has filled the slot.
     */
    public final long claim() {
        return (long) INDEX.getAndAdd(this, 1L);
    }

    final boolean setIndex(long from, long to) {
        // mutant: chunk-is-sealed-over-a-claim
        return INDEX.compareAndSet(this, from, to);
    }

    final long addToIndex(long number) {
        return (long) INDEX.getAndAdd(this, number);
    }

    @Override
    public final void handle(Turn turn) {
        throw new AssertionError("a chunk cannot be handled");
    }

    @Override
    public final boolean isControl() {
        return true;
    }
}
