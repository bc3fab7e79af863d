package io.fibry.internal.report;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A part of a scope's count of handled messages. One lane at a time writes it, and so needs no fence: if each job added
 * to a number that all carriers write, that would cost more than handing a message on. A tally is borrowed and given
 * back with the count that it has, so the sum of all tallies is the count, whichever lanes have borrowed them. The
 * tallies of a scope are linked.
 */
public final class Tally {
    /** The index of the count. The elements around it keep the counts of other tallies out of its cache line. */
    private static final int MIDDLE = 8;
    private static final VarHandle BORROWED =
            FieldAccess.of(MethodHandles.lookup(), "borrowed", boolean.class);

    public final Fates of;
    final @Nullable Tally next;
    /** The number of tallies before this one. */
    final int place;
    /** Written by the borrower, opaque, before its turn makes the actor idle. */
    private final AtomicLongArray count = new AtomicLongArray(MIDDLE + 1 + MIDDLE);
    /** Set by the lane that borrows the tally, by CAS, and cleared by it, which publishes the count to the next one. */
    private volatile boolean borrowed = true;

    /** Creates a tally that the caller has borrowed. */
    Tally(Fates of, @Nullable Tally next) {
        this.of = of;
        this.next = next;
        place = next == null ? 0 : next.place + 1;
    }

    /** Borrows this tally, if it is free; returns false otherwise. */
    boolean borrow() {
        return !borrowed && BORROWED.compareAndSet(this, false, true);
    }

    /** Gives this tally back. Called by the lane that has borrowed it. */
    public void giveBack() {
        borrowed = false;
    }

    /** Adds to the count. Called by the lane that has borrowed this tally. */
    public void add(int messages) {
        count.setOpaque(MIDDLE, count.getPlain(MIDDLE) + messages);
    }

    /** Returns the count. Called by any thread. */
    long sum() {
        return count.getOpaque(MIDDLE);
    }
}
