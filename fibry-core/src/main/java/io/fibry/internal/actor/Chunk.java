package io.fibry.internal.actor;

import io.fibry.event.Stopped.Reason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds many entries of a mailbox, each of which would otherwise need a node. A sender claims a slot by adding one
 * to {@code index} and
 * then fills the slot; it does not write to the mailbox. A message is stored in its slot without a node.
 *
 * <pre>
 *   index:  n -> n + 1            a sender; slot n is its own if there is a slot n
 *           n -> n + SEALED       the consumer, by CAS, when it has taken all n entries; or by addition, to close
 *   slot:   null -> entry         the sender that has claimed it, once
 *           node -> AskNode.OVER      the thread that has ended the wait for the answer of the node, by CAS
 *           entry -> null         the consumer, when it takes the entry
 * </pre>
 *
 * <p>A sender may claim long after it has read the chunk in {@code tail}. {@code index} alone decides whether it gets a
 * slot. So the consumer leaves a chunk in two steps: it seals the chunk, then empties {@code tail}. The seal is a CAS from the
 * number of entries that the consumer has taken. If it succeeds, each claim came before it, and its entry was taken; each
 * later claim fails, and its sender reads {@code tail} again. If it fails, there is a claim whose entry was not taken: the
 * consumer goes on and waits for the entry. Between the two steps a sender may find the sealed chunk in {@code tail}. It
 * puts a node behind it, and the second step fails. In the opposite order a sender could claim a slot of a chunk that the
 * consumer has left, and its message would be lost.
 *
 * <p>A chunk gets a successor only when no slot can be claimed any more: all slots are claimed, or the chunk is
 * sealed. So the entries of a chunk come before those of its successor, and each sender's messages stay in order.
 *
 * <p>A chunk is used once. If it came back, a sender that was held up between its read of {@code tail} and its claim
 * would put its message into the mailbox of another actor.
 *
 * <p>What a sender does before it fills a slot happens-before the handling of the entry: the slot is written by a
 * release and read by an acquire.
 */
public final class Chunk extends ChunkBack {
    /**
     * The number of slots of a chunk that follows a node. A chunk that follows a chunk has twice as many as that
     * one, up to {@link #MOST}.
     */
    private static final int FIRST = 32;
    /** The largest number of slots. */
    private static final int MOST = 1_024;
    private static final long SEALED = 1L << 60;

    static {
        // The first use of a VarHandle at a place of the code takes more stack than a sender or a turn may have.
        var first = new StopNode(Reason.EXIT);
        var rehearsal = new Chunk(4, 1, first);
        rehearsal.fill((int) rehearsal.claim(), first);
        rehearsal.rehearse((int) rehearsal.claim());
        rehearsal.take();
        rehearsal.take();
        rehearsal.take();
        rehearsal.seal(); // one slot is left, so this is not done without its CAS
        rehearsal.close();
    }

    // The consumer uses the fields below. Other threads read them for estimates; a sender that finds the chunk
    // sealed reads {@code end}.
    /** The slots once more: the field of that name is in a line that senders write. */
    private final @Nullable Object[] own;
    /** The slot that the consumer takes next. Written by the consumer; other reads are estimates. */
    private int read;
    /** The number of slots that are, or may still be, claimed. {@link #seal} writes it before its CAS. */
    private int end;

    private Chunk(int size, int firstNumber, Object first) {
        super(new Object[size]);
        own = slots;
        own[0] = first;
        seq = firstNumber;
        end = size;
    }

    /**
     * Returns a chunk that contains this entry and is to follow {@code newest}: a node that has its number, or a
     * chunk whose slots have all been claimed.
     */
    public static Chunk behind(Node newest, Object first) {
        return newest instanceof Chunk full
                ? new Chunk(Math.min(2 * full.slots.length, MOST), full.seq + full.slots.length, first)
                : new Chunk(FIRST, newest.seq + 1, first);
    }

    // ---- Called by senders. ----

    public boolean isSealed() {
        return index >= SEALED;
    }

    /** See {@link #newest}. Exact if no slot can be claimed any more. */
    int newestNumber() {
        var claimed = index;
        return seq + (claimed >= SEALED ? end : (int) Math.min(claimed, slots.length)) - 1;
    }

    /** See {@link #taken}. */
    int takenNumber() {
        return seq + read - 1;
    }

    // ---- Called by the consumer. ----

    /** Returns whether all entries have been taken that this chunk will ever have. */
    public boolean isExhausted() {
        return read == end;
    }

    /** Returns whether the next entry is there. Not called when the chunk is exhausted. */
    public boolean isFilled() {
        return SLOT.getAcquire(own, read) != null;
    }

    /** Takes the next entry, which is there. The chunk does not keep it. */
    Object take() {
        var slot = read;
        var entry = SLOT.getAcquire(own, slot);
        if (entry == null) {
            throw new AssertionError("an entry was taken that is not there");
        }
        read = slot + 1;
        own[slot] = null;
        left(entry);
        return entry;
    }

    /** As {@link #take}, and puts a message into a node. If there is no memory for that, the entry stays. */
    Node takeAsNode() {
        var node = MessageNode.of(Objects.requireNonNull(SLOT.getAcquire(own, read)));
        take();
        return node;
    }

    /**
     * Lets no sender claim a slot any more; returns false if there is an entry that was not taken, or is about to
     * come.
     */
    public boolean seal() {
        if (read == end) {
            return true;
        }
        end = read; // a sender that finds the seal numbers its message by this
        if (setIndex(read, SEALED + read)) {
            return true;
        }
        end = own.length;
        return false;
    }

    /** Lets no sender claim a slot any more. The entries of the slots that were claimed before remain. */
    public void close() {
        var claimed = addToIndex(SEALED);
        if (claimed < SEALED) {
            end = (int) Math.min(claimed, own.length);
        }
    }
}
