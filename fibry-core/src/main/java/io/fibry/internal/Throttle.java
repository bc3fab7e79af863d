package io.fibry.internal;

import io.fibry.time.RateLimit;
import io.fibry.time.TimeSource;

/**
 * Holds back what comes too often. It knows when the next one would come if all came evenly spread; one may be ahead of
 * that by as much as the burst allows. The turn's own.
 */
final class Throttle {
    private final TimeSource time;
    private final long intervalNanos;
    private final long aheadNanos;
    private long evenly;

    Throttle(TimeSource time, RateLimit limit) {
        this.time = time;
        intervalNanos = Durations.boundedNanos(limit.period()) / limit.messages();
        var ahead = Math.multiplyHigh(intervalNanos, limit.burst() - 1L) == 0
                ? intervalNanos * (limit.burst() - 1L)
                : Long.MAX_VALUE;
        aheadNanos = ahead < 0 ? Long.MAX_VALUE / 2 : Math.min(ahead, Long.MAX_VALUE / 2);
        evenly = time.nanoTime();
    }

    /** Waits until one more may begin. It holds a thread only while it waits. */
    void await() throws InterruptedException {
        var wait = evenly - aheadNanos - time.nanoTime();
        if (wait > 0) {
            new Gate().await(time, wait);
        }
        var now = time.nanoTime();
        evenly = (evenly - now < 0 ? now : evenly) + intervalNanos;
    }
}
