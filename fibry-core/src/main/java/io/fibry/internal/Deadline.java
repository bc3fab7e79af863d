package io.fibry.internal;

import io.fibry.time.TimeSource;

/** A point in time that some steps share. */
final class Deadline {
    private final TimeSource time;
    private final long end;

    Deadline(TimeSource time, long nanos) {
        this.time = time;
        end = nanos == Long.MAX_VALUE ? Long.MAX_VALUE : time.nanoTime() + nanos;
    }

    long nanosLeft() {
        return end == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, end - time.nanoTime());
    }

    boolean isOver() {
        return nanosLeft() == 0;
    }
}
