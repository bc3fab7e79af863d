package io.fibry.internal.clock;

import io.fibry.internal.memory.Interleave;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The system's clock, and one platform thread for all timers: it needs no carrier to fire, and is there only
 * while timers are pending.
 */
public final class SystemTime implements TimeSource {
    public static final SystemTime INSTANCE = new SystemTime();
    private static final long KEEP_ALIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static volatile @Nullable TimeSource standIn;

    private final TimerQueue timers = new TimerQueue(System::nanoTime,
            Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-timer").factory(),
            KEEP_ALIVE_NANOS, Runtime.getRuntime().availableProcessors());

    private SystemTime() {
    }

    /** Returns the system's clock, or what stands for it in tests that play seeded schedules. */
    public static TimeSource orStandIn() {
        var mine = Interleave.isOn() ? standIn : null;
        return mine == null ? INSTANCE : mine;
    }

    /** Sets what stands for the system's clock in such tests; null for the clock itself. */
    public static void standIn(@Nullable TimeSource time) {
        standIn = time;
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
    public boolean firesHere() {
        return timers.firesOn(Thread.currentThread());
    }

    /** How many timers are set. */
    public int pending() {
        return timers.pending();
    }
}
