package io.fibry.internal;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The system's clock, and one platform thread for all timers: it needs no carrier to fire, and is there only
 * while timers are pending.
 */
final class SystemTime implements TimeSource {
    static final SystemTime INSTANCE = new SystemTime();
    private static final long KEEP_ALIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final TimerQueue timers = new TimerQueue(System::nanoTime,
            Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-timer").factory(),
            KEEP_ALIVE_NANOS, Runtime.getRuntime().availableProcessors());

    private SystemTime() {
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    /** Whether the calling thread is the one that timers fire on. */
    boolean firesHere() {
        return timers.firesOn(Thread.currentThread());
    }

    /** How many timers are set. */
    int pending() {
        return timers.pending();
    }
}
