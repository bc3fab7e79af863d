package io.fibry.internal.report;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A part of a scope's count of handled messages that one lane at a time writes, and so without a fence: adding each turn
 * to a number that all carriers add to would cost more than handing a message on. It is borrowed and given back with
 * what it says, so the sum of all is the count, whoever has them. Those of a scope are
 * linked.
 */
public final class Tally {
    /** Its neighbours on the heap are others' tallies: no cache line has two counts. */
    private static final int MIDDLE = 8;
    private static final VarHandle BORROWED =
            FieldAccess.of(MethodHandles.lookup(), "borrowed", boolean.class);

    public final Fates of;
    final @Nullable Tally next;
    /** How many come before it. */
    final int place;
    private final AtomicLongArray count = new AtomicLongArray(MIDDLE + 1 + MIDDLE);
    private volatile boolean borrowed = true;

    /** One that its maker has borrowed. */
    Tally(Fates of, @Nullable Tally next) {
        this.of = of;
        this.next = next;
        place = next == null ? 0 : next.place + 1;
    }

    /** Whether it is now the caller's. */
    boolean borrow() {
        return !borrowed && BORROWED.compareAndSet(this, false, true);
    }

    /** By who has borrowed it. */
    public void giveBack() {
        borrowed = false;
    }

    /** By who has borrowed it. */
    public void add(int messages) {
        count.setOpaque(MIDDLE, count.getPlain(MIDDLE) + messages);
    }

    /** What it says. By any thread. */
    long sum() {
        return count.getOpaque(MIDDLE);
    }
}
