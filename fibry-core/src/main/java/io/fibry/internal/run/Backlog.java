package io.fibry.internal.run;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.memory.Interleave;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Turns that wait for a lane since a newer one took their slot. One lane at a time owns this: it adds turns and takes
 * the newest; anybody may take the oldest. A work-stealing queue as described by Chase and Lev, in an array that
 * grows: the turns from {@code top} to {@code bottom} are in it.
 *
 * <pre>
 *   bottom: b -> b + 1   the owner has put a turn there
 *           b -> b - 1   the owner is about to take that one, unless it is the last and somebody else gets it
 *   top:    t -> t + 1   whoever takes the oldest, by CAS; the owner too if it is the last
 *   owned:  false -> true   a lane, by CAS
 *           true -> false   its owner
 * </pre>
 *
 * <p>No turn is taken twice: the owner lowers {@code bottom} first and then looks at {@code top}; others look at
 * {@code top} first, then at {@code bottom}, then move {@code top}. If the owner finds more than one turn, then whoever
 * would take the same one has read {@code top} after that, and so sees the lower {@code bottom}. If it finds one, the
 * CAS decides.
 *
 * <p>Each owner's writes come before the next one's: {@code owned} is released and acquired.
 */
public final class Backlog {
    /** So many have room without more memory. */
    static final int SIZE = 32;
    /** An array that has become larger than this is not kept. */
    private static final int LARGE = 1_024;
    private static final int OLDEST_INTERVAL = 64;
    private static final VarHandle TOP = FieldAccess.of(MethodHandles.lookup(), "top", long.class);
    private static final VarHandle OWNED = FieldAccess.of(MethodHandles.lookup(), "owned", boolean.class);

    /** Which one it is. */
    final long bit;
    /**
     * A turn that is taken while the array grows may stay in the new one, which has no more use for it, until its place
     * is needed.
     */
    private volatile AtomicReferenceArray<@Nullable Job> turns = new AtomicReferenceArray<>(SIZE);
    private volatile long top;
    private volatile long bottom;
    private volatile boolean owned;
    /** How often it has changed hands; the owner's. */
    private int owners;
    /** How often something was taken since an old one was due; the owner's. */
    private int taken = 1;

    Backlog(long bit) {
        this.bit = bit;
    }

    boolean isEmpty() {
        return bottom <= top;
    }

    /** How many there are; a guess, as others take some and the owner may add some. */
    int size() {
        return (int) Math.max(0, bottom - top);
    }

    /** Becomes the owner; false if there is one. */
    boolean acquire() {
        // mutant: owned-backlog-is-taken-over
        if (owned || !OWNED.compareAndSet(this, false, true)) {
            return false;
        }
        owners++;
        return true;
    }

    /** It is anybody's from now on, with what is in it. By the owner. */
    void release() {
        try {
            if (turns.length() > LARGE && isEmpty()) {
                turns = new AtomicReferenceArray<>(SIZE); // whoever reads the old one fails to move top
            }
        } catch (OutOfMemoryError e) {
            return; // it stays as large as it is
        } finally {
            owned = false;
        }
    }

    /** Which owner this is. By the owner. */
    int owner() {
        return owners;
    }

    /** Whether something old is to be taken now: once in a while, and if it was made due. By the owner. */
    boolean isOldDue() {
        return taken++ % OLDEST_INTERVAL == 0;
    }

    /** Whoever takes something next takes an old one. By the owner. */
    void oldIsDue() {
        taken = 0;
    }

    /** Adds a turn. By the owner. If this throws, nothing has changed. */
    void push(Job turn) {
        var free = bottom;
        var room = turns;
        if (free - top >= room.length()) {
            room = grown(room, free);
        }
        room.setRelease(place(free, room), turn);
        Interleave.here();
        bottom = free + 1; // and a full fence: what is looked at after this is looked at after it
    }

    private AtomicReferenceArray<@Nullable Job> grown(AtomicReferenceArray<@Nullable Job> from, long end) {
        var to = new AtomicReferenceArray<@Nullable Job>(2 * from.length());
        for (var n = top; n < end; n++) {
            to.setPlain(place(n, to), from.getPlain(place(n, from)));
        }
        turns = to;
        return to;
    }

    /** Takes the newest. By the owner. */
    @Nullable Job pop() {
        var newest = bottom - 1;
        if (newest < top) {
            return null;
        }
        bottom = newest;
        Interleave.here();
        var oldest = top;
        if (oldest < newest) {
            return remove(newest);
        }
        var isMine = oldest == newest && TOP.compareAndSet(this, oldest, oldest + 1);
        bottom = newest + 1;
        return isMine ? remove(newest) : null;
    }

    private @Nullable Job remove(long number) {
        var from = turns;
        var place = place(number, from);
        var turn = from.getPlain(place);
        from.setPlain(place, null);
        return turn;
    }

    /** Takes the oldest. By anybody. */
    @Nullable Job steal() {
        while (true) {
            var oldest = top;
            if (oldest >= bottom) {
                return null;
            }
            var from = turns;
            var place = place(oldest, from);
            var turn = from.getAcquire(place);
            Interleave.here();
            if (TOP.compareAndSet(this, oldest, oldest + 1)) {
                from.compareAndSet(place, turn, null); // unless the owner has put another one there
                return turn;
            }
        }
    }

    /** Sizes are powers of two. */
    private static int place(long number, AtomicReferenceArray<?> turns) {
        return (int) number & turns.length() - 1;
    }
}
