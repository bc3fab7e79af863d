package io.fibry.internal;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The system's clock, and one platform thread for all timers: it needs no carrier to fire, and is there only
 * while timers are pending.
 */
final class SystemTime implements TimeSource {
    static final SystemTime INSTANCE = new SystemTime();
    private static final long KEEP_ALIVE_MILLIS = 500;

    private final ScheduledThreadPoolExecutor timers;

    private SystemTime() {
        timers = new ScheduledThreadPoolExecutor(1, task -> Thread.ofPlatform().daemon()
                .inheritInheritableThreadLocals(false).name("fibry-timer").unstarted(task));
        timers.setRemoveOnCancelPolicy(true);
        timers.setKeepAliveTime(KEEP_ALIVE_MILLIS, TimeUnit.MILLISECONDS);
        timers.allowCoreThreadTimeOut(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        var pending = timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        return () -> pending.cancel(false);
    }

    /** How many timers are set. */
    int pending() {
        return timers.getQueue().size();
    }
}
