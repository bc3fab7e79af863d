package io.fibry.internal.net;

import io.fibry.internal.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one fiber does for a client. {@code writingSince} is a tick of {@link HttpTraffic} while the fiber is
 * in a write, and zero else: it is written by whoever writes, and read by the sweep, which has time, so neither has a fence.
 */
final class HttpWork {
    private static final VarHandle WRITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "writingSince", int.class);

    /** Null if the thread is the engine's own. */
    final @Nullable Runnable cutter;
    private final Thread fiber = Thread.currentThread();
    private volatile @Nullable Thread elsewhere;
    private int writingSince;
    private volatile boolean handled;
    /** It is interrupted because its client does not read. Written by the sweep. */
    volatile boolean cut;

    /** Cutting makes the fiber's write end: it interrupts it or closes the socket. */
    HttpWork(@Nullable Runnable cutter) {
        this.cutter = cutter;
    }

    Thread fiber() {
        return fiber;
    }

    /** Whether a handler is at it, or about to be. */
    boolean isHandled() {
        return handled;
    }

    void isHandled(boolean yes) {
        handled = yes;
    }

    /** The tick at which the write began that is going on; 0 if there is none. */
    int writingSince() {
        return (int) WRITING_SINCE.getOpaque(this);
    }

    void writesSince(int tick) {
        WRITING_SINCE.setOpaque(this, tick);
    }

    /** The handler runs on this thread, not on the fiber; null if it does not run. */
    void runsOn(@Nullable Thread thread) {
        elsewhere = thread;
    }

    boolean isOn(Thread thread) {
        return thread == fiber || thread == elsewhere;
    }
}
