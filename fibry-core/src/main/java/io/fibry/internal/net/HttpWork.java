package io.fibry.internal.net;

import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one fiber does for clients, one piece of work after another. {@code writingSince} is a tick of {@link
 * HttpTraffic} while the fiber is in a write, and zero otherwise. The thread that writes to the client sets it, and
 * the sweep reads it; a late value does no harm there, so neither uses a fence. {@code readingSince} is the same for
 * reads.
 */
final class HttpWork {
    private static final int CUT = -1;
    private static final VarHandle PIECE = FieldAccess.of(MethodHandles.lookup(), "piece", int.class);
    private static final VarHandle WRITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "writingSince", int.class);
    private static final VarHandle READING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "readingSince", int.class);

    /** Makes the current write end; null if the thread is the engine's own. */
    final @Nullable Runnable cutter;
    private final Thread fiber = Thread.currentThread();
    /** Written by the clerk: a thread finds itself here, or is not inside. */
    private volatile @Nullable Thread elsewhere;
    /** Written by the thread that writes the answer, opaque; the sweep reads it after {@link #piece}. */
    private int writingSince;
    /** Written by the thread that reads the content, opaque; the sweep reads it after {@link #piece}. */
    private int readingSince;
    /** Written by the clerk, which then reads whether the server stops; a stopper sets that and then reads this. */
    private volatile boolean handled;
    /**
     * The number of the piece of work that the fiber does, from 0 on; or CUT. Written by the clerk after each
     * request, and by the sweep to cut it, by CAS: so the sweep cuts what it has seen.
     */
    private volatile int piece;

    /**
     * Makes the work of the calling fiber. The cutter makes a write of the fiber end: it interrupts the fiber or
     * closes the socket.
     */
    HttpWork(@Nullable Runnable cutter) {
        this.cutter = cutter;
    }

    /** Returns the number of the current piece. The sweep reads it before the other fields of this piece. */
    int piece() {
        return piece;
    }

    /**
     * Marks the work as cut, before its interrupt, since its client does not read. Returns false if the fiber has
     * finished that piece in the meantime. Called by the sweep.
     */
    boolean cuts(int seen) {
        return seen == CUT || PIECE.compareAndSet(this, seen, CUT);
    }

    boolean isCut() {
        return piece == CUT;
    }

    /**
     * Ends a piece of work. Returns false if the work was cut: the fiber must not begin another piece, since an
     * interrupt will come. Called by the fiber.
     */
    boolean goesOn() {
        var done = piece;
        return done != CUT && PIECE.compareAndSet(this, done, done + 1 & Integer.MAX_VALUE);
    }

    Thread fiber() {
        return fiber;
    }

    /** Returns whether a handler runs for this work or is about to. */
    boolean isHandled() {
        return handled;
    }

    void markHandled(boolean yes) {
        handled = yes;
    }

    /** Returns the tick at which the current write began; 0 if there is none. */
    int writingSince() {
        return (int) WRITING_SINCE.getOpaque(this);
    }

    /**
     * Records the begin of a write, or its end by 0. Called by the thread that writes for a piece of work; ignored
     * if that piece is over.
     */
    void writesSince(int tick, int ofPiece) {
        if (piece == ofPiece) {
            WRITING_SINCE.setOpaque(this, tick);
        }
    }

    /** Returns the tick at which the current read began; 0 if there is none. */
    int readingSince() {
        return (int) READING_SINCE.getOpaque(this);
    }

    /** Records the begin of a read, or its end by 0, as {@link #writesSince} does for writes. */
    void readsSince(int tick, int ofPiece) {
        if (piece == ofPiece) {
            READING_SINCE.setOpaque(this, tick);
        }
    }

    /** Sets the thread on which the handler runs instead of the fiber; null if it does not run. */
    void setThread(@Nullable Thread thread) {
        elsewhere = thread;
    }

    boolean isOn(Thread thread) {
        return thread == fiber || thread == elsewhere;
    }
}
