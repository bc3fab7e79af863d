package io.fibry.internal.mailbox;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Chunk;
import io.fibry.internal.actor.ChunkBack;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Holds many entries of a bounded mailbox. It differs from {@link Chunk} in two ways: a sender claims a slot only if there is
 * space in the mailbox, so it claims by CAS; and any thread may take the oldest entry, so it is taken by CAS.
 *
 * <pre>
 *   index:  n -> n + 1            a sender, by CAS, when it has found that there is space; slot n is its own
 *           n -> n + SEALED       the consumer, by CAS, when all n entries have been taken; a sender whose node takes no
 *                                 place, by CAS; the thread that closes the mailbox
 *   slot:   null -> entry         the sender that has claimed it, once
 *           node -> AskNode.OVER      the thread that has ended the wait for the answer of the node, by CAS
 *           entry -> null         the thread that has taken the entry
 *   read:   r -> r + 1            the thread that takes the entry of slot r, by CAS, when the entry is there
 * </pre>
 *
 * <p>The claims are exact: an {@code index} below the number of slots is the number of entries that the chunk has got so far,
 * and the lower half of a sealed one is the number of all that it will ever get. So the entries have numbers, from {@code
 * seq} on. A CAS of {@code index} that succeeds shows that no entry was added since its thread has read {@code index}.
 *
 * <p>A chunk gets a successor only when no slot can be claimed any more: all slots are claimed, or the chunk is sealed. It
 * is used once. So neither value ever returns, and a thread that has read it long ago fails.
 *
 * <p>What a sender does before it fills a slot happens-before the handling of the entry: the slot is written by a
 * release and read by an acquire.
 */
public final class BoundedChunk extends ChunkBack {
    /** The number of slots of a chunk behind a node. A chunk behind a full one has twice as many, up to {@link #MOST}. */
    private static final int FIRST = 32;
    /** The largest number of slots. */
    private static final int MOST = 1_024;
    private static final long SEALED = 1L << 60;
    private static final VarHandle READ =
            FieldAccess.of(MethodHandles.lookup(), "read", int.class);

    static {
        // The first use of a VarHandle at a place of the code takes more stack than a sender or a turn may have.
        var first = new StopNode(Reason.EXIT);
        var rehearsal = new BoundedChunk(4, 1, first);
        rehearsal.claim(1);
        rehearsal.fill(1, first);
        rehearsal.claim(2);
        rehearsal.rehearse(2);
        rehearsal.peek(0);
        rehearsal.take(0);
        rehearsal.take(1);
        rehearsal.take(2);
        rehearsal.seal();
        rehearsal.close();
    }

    /** The slots once more: the field of that name is in a line that senders write. */
    private final @Nullable Object[] own;
    /**
     * The slot whose entry is taken next. Written by CAS: the winner, which is the consumer or a thread that
     * drops the entry, owns it.
     */
    private volatile int read;

    private BoundedChunk(int size, int firstNumber, Object first) {
        super(new Object[size]);
        own = slots;
        own[0] = first;
        seq = firstNumber;
    }

    /** Returns a chunk that begins with this entry and is to follow a node, or a chunk whose slots have all been claimed. */
    public static BoundedChunk behind(Node newest, int number, int capacity, Object first) {
        var size = newest instanceof BoundedChunk full
                ? Math.min(2 * full.slots.length, Math.max(FIRST, Math.min(capacity, MOST)))
                : FIRST;
        return new BoundedChunk(size, number + 1, first);
    }

    // ---- Called by senders. ----

    /** Returns the number of claims so far; {@link #hasSlot} and {@link #newest} take it. */
    public long claimed() {
        return index;
    }

    /** Returns whether a slot can be claimed. */
    public boolean hasSlot(long claimed) {
        return claimed < slots.length;
    }

    /** Returns whether no slot can be claimed although some are free. */
    public static boolean isSealed(long claimed) {
        return claimed >= SEALED;
    }

    /** Returns the number of the newest entry. */
    public int newest(long claimed) {
        return seq - 1 + (int) claimed;
    }

    /** Claims the next slot; returns false if the number of claims has changed. */
    public boolean claim(long claimed) {
        // mutant: slot-of-a-bounded-mailbox-is-claimed-twice
        return setIndex(claimed, claimed + 1);
    }

    /** Lets no sender claim a slot any more; returns false if the number of claims has changed. */
    public boolean seal(long claimed) {
        return setIndex(claimed, SEALED + claimed);
    }

    // ---- Called by any thread. ----

    /** Returns the slot whose entry is taken next; it may be one more than there are. */
    public int nextSlot() {
        return read;
    }

    /** Returns the number of the entry that was taken last. */
    public int takenNumber() {
        return seq - 1 + read;
    }

    /** Returns the entry of a slot; null if there is no slot, or no entry yet, or no more. */
    public @Nullable Object peek(int slot) {
        return slot < own.length ? SLOT.getAcquire(own, slot) : null;
    }

    /** Takes an entry that was seen in a slot; returns false if another thread has taken it. The chunk does not keep it. */
    public boolean take(int slot) {
        // mutant: entry-of-a-bounded-mailbox-is-taken-twice
        if (!READ.compareAndSet(this, slot, slot + 1)) {
            return false;
        }
        left(own[slot]);
        own[slot] = null;
        return true;
    }

    /** Returns whether all entries have been taken that this chunk will ever have. */
    public boolean isExhausted() {
        var slot = read;
        return slot == own.length || index == SEALED + slot;
    }

    /** Returns whether all entries have been taken that this chunk has got so far, or is about to get. */
    public boolean isEmpty() {
        var slot = read;
        return slot == (int) index;
    }

    // ---- Called by the consumer. ----

    /** Lets no sender claim a slot any more; returns false if there is an entry that was not taken, or is about to come. */
    public boolean seal() {
        var slot = read;
        return slot == own.length || index == SEALED + slot || seal(slot);
    }

    /** Lets no sender claim a slot any more. The entries of the slots that were claimed before remain. */
    public void close() {
        for (var claimed = index; claimed < SEALED && !seal(claimed);) {
            claimed = index;
        }
    }
}
