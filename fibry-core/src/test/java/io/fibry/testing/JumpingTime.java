package io.fibry.testing;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A time whose clock is put forward and back, as that of a machine is. Its timers go on as those of another time. */
public final class JumpingTime implements TimeSource {
    private final TimeSource time;
    /** How far the clock is ahead. Written by the tests. */
    private volatile Duration ahead;
    /** The latest time that anybody has seen. */
    private final AtomicReference<Instant> latest = new AtomicReference<>(Instant.MIN);
    private final Clock clock = ((InstantSource) this::see).withZone(ZoneOffset.UTC);

    public JumpingTime(TimeSource time, Duration ahead) {
        this.time = time;
        this.ahead = ahead;
    }

    private Instant see() {
        var now = time.clock().instant().plus(ahead);
        latest.accumulateAndGet(now, (before, seen) -> seen.isAfter(before) ? seen : before);
        return now;
    }

    /** Puts the clock to the time of the other one, and so far ahead of it. */
    public void jump(Duration by) {
        ahead = by;
    }

    /** Tells whether the clock has never shown a time, nor a later one. */
    public boolean isBefore(Instant at) {
        return latest.get().isBefore(at);
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, task);
    }

    @Override
    public Cancellable follow(Activity activity) {
        return time.follow(activity);
    }
}
