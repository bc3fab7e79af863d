package io.fibry.internal.net;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one fiber does for clients, one piece of work after another. {@code writingSince} is a tick of
 * {@link HttpTraffic} while the fiber is in a write, and zero else: it is written by whoever writes, and read by the
 * sweep, which has time, so neither has a fence. {@code readingSince} is the same for reads.
 */
final class HttpWork {
    private static final int CUT = -1;
    private static final VarHandle PIECE = FieldAccess.of(MethodHandles.lookup(), "piece", int.class);
    private static final VarHandle WRITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "writingSince", int.class);
    private static final VarHandle READING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "readingSince", int.class);

    /** Null if the thread is the engine's own. */
    final @Nullable Runnable cutter;
    private final Thread fiber = Thread.currentThread();
    private volatile @Nullable Thread elsewhere;
    private int writingSince;
    private int readingSince;
    private volatile boolean handled;
    /** The so-manieth piece of work that the fiber does here, from 0 on; or that it was cut off. */
    private volatile int piece;

    /** Cutting makes the fiber's write end: it interrupts it or closes the socket. */
    HttpWork(@Nullable Runnable cutter) {
        this.cutter = cutter;
    }

    /** What it is at. To be read before what is known of that. */
    int piece() {
        return piece;
    }

    /**
     * It is about to be interrupted because its client does not read; false if it has done that piece of work
     * meanwhile. By the sweep.
     */
    boolean cuts(int seen) {
        return seen == CUT || PIECE.compareAndSet(this, seen, CUT);
    }

    boolean isCut() {
        return piece == CUT;
    }

    /** It has done this piece, and may do another; false if it was cut, and is interrupted some time. By the fiber. */
    boolean goesOn() {
        var done = piece;
        return done != CUT && PIECE.compareAndSet(this, done, done + 1 & Integer.MAX_VALUE);
    }

    Thread fiber() {
        return fiber;
    }

    /** Whether a handler is at it, or about to be. */
    boolean markHandled() {
        return handled;
    }

    void markHandled(boolean yes) {
        handled = yes;
    }

    /** The tick at which the write began that is going on; 0 if there is none. */
    int writingSince() {
        return (int) WRITING_SINCE.getOpaque(this);
    }

    /** By whoever writes for this piece of work; if it is over, what is written now is nobody's business here. */
    void writesSince(int tick, int ofPiece) {
        if (piece == ofPiece) {
            WRITING_SINCE.setOpaque(this, tick);
        }
    }

    /** The tick at which the read began that is going on; 0 if there is none. */
    int readingSince() {
        return (int) READING_SINCE.getOpaque(this);
    }

    /** As {@link #writesSince}, for who reads. */
    void readsSince(int tick, int ofPiece) {
        if (piece == ofPiece) {
            READING_SINCE.setOpaque(this, tick);
        }
    }

    /** The handler runs on this thread, not on the fiber; null if it does not run. */
    void setThread(@Nullable Thread thread) {
        elsewhere = thread;
    }

    boolean isOn(Thread thread) {
        return thread == fiber || thread == elsewhere;
    }
}
