package io.fibry.internal.flight;

import io.fibry.internal.memory.SystemNanos;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits how many events of one kind are recorded in a second, and counts those that are left out: a flood of lost
 * messages must not become a flood of events. The limit is approximate.
 */
final class EventRate {
    static final int MOST = 300;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong windowStart = new AtomicLong(SystemNanos.now());
    private final AtomicInteger events = new AtomicInteger();
    private final AtomicLong omitted = new AtomicLong();

    /** Tells whether one more event may be recorded now; counts it as omitted otherwise. */
    boolean admit() {
        var now = SystemNanos.now();
        var start = windowStart.get();
        if (now - start >= WINDOW_NANOS && windowStart.compareAndSet(start, now)) {
            events.set(0);
        }
        if (events.incrementAndGet() <= MOST) {
            return true;
        }
        omitted.incrementAndGet();
        return false;
    }

    /** Returns how many events were omitted since the last call. */
    long takeOmitted() {
        return omitted.getAndSet(0);
    }
}
