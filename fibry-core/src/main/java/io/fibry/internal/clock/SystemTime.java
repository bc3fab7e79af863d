package io.fibry.internal.clock;

import io.fibry.internal.memory.Interleave;
import io.fibry.internal.memory.SystemNanos;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The system's clock, and one platform thread for all timers. The thread needs no carrier to fire, and exists only
 * while timers are pending.
 */
public final class SystemTime implements TimeSource {
    /** Before the instance, which uses it. */
    private static final long KEEP_ALIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    public static final SystemTime INSTANCE = new SystemTime();

    /** Set by tests alone. */
    private static volatile @Nullable TimeSource standIn;

    private final TimerQueue timers = new TimerQueue(SystemNanos.CLOCK,
            Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("fibry-timer").factory(),
            KEEP_ALIVE_NANOS, Runtime.getRuntime().availableProcessors());

    private SystemTime() {
    }

    /** Returns the system's clock, or the time source that replaces it in tests which play seeded schedules. */
    public static TimeSource orStandIn() {
        var chosen = Interleave.isOn() ? standIn : null;
        return chosen == null ? INSTANCE : chosen;
    }

    /** Sets the time source that replaces the system's clock in such tests; null for the clock itself. */
    public static void standIn(@Nullable TimeSource time) {
        standIn = time;
    }

    @Override
    public long nanoTime() {
        return SystemNanos.now();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        return timers.schedule(delayNanos, task);
    }

    /** Sets a time limit. */
    public Limit limit(Limited limited) {
        return timers.limit(limited);
    }

    /** Cancels a time limit; returns false if its time was over, or if it was cancelled before. */
    public boolean cancel(Limit limit) {
        return timers.cancel(limit);
    }

    /** Sets what is told of late timers. */
    public void tell(LateTimers told) {
        timers.tell(told);
    }

    /** Tells whether timers fire on the calling thread. */
    public boolean firesHere() {
        return timers.firesOn(Thread.currentThread());
    }

    /** Returns the number of timers that are set, and of limits if assertions are on. */
    public int pending() {
        return timers.pending();
    }

    @Override
    public String toString() {
        return "SystemTime";
    }
}
