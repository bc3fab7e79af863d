package io.fibry.internal.limit;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.run.Gate;
import io.fibry.time.RateLimit;
import io.fibry.time.TimeSource;

/**
 * Limits the rate at which messages are handled. There are as many places as the burst allows. Places that are taken
 * come back one after another, one in each interval. Confined to the job that runs.
 */
public final class Throttle {
    private final TimeSource time;
    private final long intervalNanos;
    private final int burst;
    private int free;
    /** The start of the interval after which the next place comes back. */
    private long refilledAt;

    public Throttle(TimeSource time, RateLimit limit) {
        this.time = time;
        intervalNanos = Durations.boundedNanos(limit.period()) / limit.messages();
        burst = limit.burst();
        free = burst;
        refilledAt = time.nanoTime();
    }

    /** Waits until one more message may begin. The thread is held only while it waits. */
    public void await() throws InterruptedException {
        refill();
        while (free == 0) {
            new Gate().await(time, refilledAt + intervalNanos - time.nanoTime());
            refill();
        }
        free--;
    }

    private void refill() {
        var now = time.nanoTime();
        var cameBack = (now - refilledAt) / intervalNanos;
        if (cameBack >= burst - free) {
            free = burst;
            refilledAt = now;
        } else {
            free += (int) cameBack;
            refilledAt += cameBack * intervalNanos;
        }
    }
}
