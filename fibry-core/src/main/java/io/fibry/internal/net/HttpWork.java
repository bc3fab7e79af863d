package io.fibry.internal.net;

import org.jspecify.annotations.Nullable;

/**
 * What one fiber does for a client. {@code writingSince} is a tick of {@link HttpTraffic} while the fiber is
 * in a write, and zero else: it is written by whoever writes, and read by the sweep.
 */
final class HttpWork {
    final @Nullable Runnable cutter;
    private final Thread fiber = Thread.currentThread();
    private volatile @Nullable Thread elsewhere;
    volatile int writingSince;
    /** It is interrupted because its client does not read. Written by the sweep. */
    volatile boolean cut;

    /** Cutting makes the fiber's write end: it interrupts it or closes the socket. */
    HttpWork(@Nullable Runnable cutter) {
        this.cutter = cutter;
    }

    /** The handler runs on this thread, not on the fiber; null if it does not run. */
    void runsOn(@Nullable Thread thread) {
        elsewhere = thread;
    }

    boolean isOn(Thread thread) {
        return thread == fiber || thread == elsewhere;
    }
}
