package io.fibry.internal.limit;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Gate;
import io.fibry.time.RateLimit;
import io.fibry.time.TimeSource;

/**
 * Holds back what comes too often. It has as many places as the burst allows; each that is taken comes back after an
 * interval, one after the other. The turn's own.
 */
public final class Throttle {
    private final TimeSource time;
    private final long intervalNanos;
    private final int burst;
    private int left;
    /** From when on the next place is on its way. */
    private long since;

    public Throttle(TimeSource time, RateLimit limit) {
        this.time = time;
        intervalNanos = Durations.boundedNanos(limit.period()) / limit.messages();
        burst = limit.burst();
        left = burst;
        since = time.nanoTime();
    }

    /** Waits until one more may begin. It holds a thread only while it waits. */
    public void await() throws InterruptedException {
        refill();
        while (left == 0) {
            new Gate().await(time, since + intervalNanos - time.nanoTime());
            refill();
        }
        left--;
    }

    private void refill() {
        var now = time.nanoTime();
        var cameBack = (now - since) / intervalNanos;
        if (cameBack >= burst - left) {
            left = burst;
            since = now;
        } else {
            left += (int) cameBack;
            since += cameBack * intervalNanos;
        }
    }
}
