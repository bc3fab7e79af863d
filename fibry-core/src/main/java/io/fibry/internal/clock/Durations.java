package io.fibry.internal.clock;

import java.time.Duration;
import java.util.Objects;

/** Durations as nanoseconds, checked. Those of over 292 years mean for ever. */
public final class Durations {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private Durations() {
    }

    /**
     * Zero or more nanoseconds.
     *
     * @param duration how long
     * @param name what it is, for whoever gets it wrong
     * @return the nanoseconds; {@code Long.MAX_VALUE} is for ever
     */
    public static long nanos(Duration duration, String name) {
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

    /** For people: "250 ms", "1.5 s", "90 s". */
    public static String text(long nanos) {
        var unit = nanos < MICRO ? "ns" : nanos < MILLI ? "\u00b5s" : nanos < SECOND ? "ms" : "s";
        var tenths = nanos < MICRO
                ? nanos * 10
                : nanos / ((nanos < MILLI ? MICRO : nanos < SECOND ? MILLI : SECOND) / 10);
        return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " " + unit;
    }

    /**
     * As {@link #nanos}, but not so long that times so far apart could not be compared: 146 years.
     *
     * @param duration how long
     * @return the nanoseconds
     */
    public static long boundedNanos(Duration duration) {
        return Math.min(nanos(duration, "duration"), Long.MAX_VALUE / 2);
    }

    /**
     * One or more nanoseconds.
     *
     * @param duration how long
     * @param name what it is, for whoever gets it wrong
     * @return the nanoseconds; {@code Long.MAX_VALUE} is for ever
     */
    public static long positiveNanos(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isZero()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + duration);
        }
        return nanos(duration, name);
    }
}
