package io.fibry.internal.clock;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A time limit that is set, of 24 bytes. Most limits are cancelled soon after they were set. So this object refers to
 * what is limited, and not the other way round: to cancel is one exchange, and the empty object that is left in a stack
 * or in the wheel keeps nothing alive. The timer thread drops it when it comes by.
 *
 * <p>The thread that takes {@code limited} out has decided: if that is the timer thread, the time is over, otherwise the
 * limit is cancelled.
 */
public final class Limit {
    private static final VarHandle LIMITED =
            FieldAccess.of(MethodHandles.lookup(), "limited", Limited.class);

    /**
     * Null if the limit is cancelled, or its time is over. Written by the setter; cleared by the timer thread
     * or a canceller, by an exchange: that thread has decided.
     */
    private volatile @Nullable Limited limited;
    /**
     * Whether the timer thread sleeps because of this limit, and has to be told if it is cancelled. Written by
     * the timer thread, which then reads {@link #limited}; a canceller does the two in the opposite order.
     */
    private volatile boolean isWatched;
    /** How many limits were in the stack with this one, modulo 2^16. Written before the limit is published. */
    short depth;
    /** The limit below this one. Written by the thread that sets the limit, before others see it; then by the timer thread. */
    @Nullable Limit next;

    Limit(Limited limited) {
        this.limited = limited;
    }

    /** Returns what is limited; null if this is over. */
    @Nullable Limited limited() {
        return limited;
    }

    boolean isSet() {
        return limited != null;
    }

    /** Takes out what is limited. One caller gets it, all others get null. */
    @Nullable Limited take() {
        return (Limited) LIMITED.getAndSet(this, (Limited) null);
    }

    /** Sets again what was taken, since it could not be ended. Called by the timer thread. */
    void restore(Limited taken) {
        limited = taken;
    }

    boolean isWatched() {
        return isWatched;
    }

    /**
     * Asks for the timer thread to be woken when this limit is cancelled; returns false if it is over already. This first
     * sets {@code isWatched} and then reads {@code limited}. A thread that cancels does the two in the opposite order. So one
     * of the two sees the other.
     */
    boolean watch() {
        isWatched = true;
        return limited != null;
    }
}
