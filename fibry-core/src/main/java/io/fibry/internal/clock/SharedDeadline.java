package io.fibry.internal.clock;

import io.fibry.time.TimeSource;

/** A point in time by which several steps together have to be done. */
public final class SharedDeadline {
    private final TimeSource time;
    private final long end;

    public SharedDeadline(TimeSource time, long nanos) {
        this.time = time;
        end = nanos == Long.MAX_VALUE ? Long.MAX_VALUE : time.nanoTime() + nanos;
    }

    public long nanosLeft() {
        return end == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, end - time.nanoTime());
    }

    public boolean isOver() {
        return nanosLeft() == 0;
    }
}
