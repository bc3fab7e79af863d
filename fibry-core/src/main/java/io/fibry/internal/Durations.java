package io.fibry.internal;

import java.time.Duration;
import java.util.Objects;

/** Durations as nanoseconds, checked. Those of over 292 years mean for ever. */
final class Durations {
    private Durations() {
    }

    static long nanos(Duration duration, String name) {
        Objects.requireNonNull(duration, name);
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    static long positiveNanos(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isZero()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + duration);
        }
        return nanos(duration, name);
    }
}
