package io.fibry.internal.clock;

import java.time.Duration;
import java.util.Objects;

/** Converts durations to nanoseconds, with checks. A duration of more than 292 years means for ever. */
public final class Durations {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private Durations() {
    }

    /**
     * Returns a duration of zero or more as nanoseconds.
     *
     * @param duration the duration
     * @param name the name of the duration, for the error message
     * @return the nanoseconds; {@code Long.MAX_VALUE} means for ever
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

    /** Formats a duration for people: "250 ms", "1.5 s", "90 s". */
    public static String text(long nanos) {
        var unit = nanos < MICRO ? "ns" : nanos < MILLI ? "\u00b5s" : nanos < SECOND ? "ms" : "s";
        var tenths = nanos < MICRO
                ? nanos * 10
                : nanos / ((nanos < MILLI ? MICRO : nanos < SECOND ? MILLI : SECOND) / 10);
        return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " " + unit;
    }

    /**
     * Returns a duration as nanoseconds like {@link #nanos}, but at most 146 years: points in time that are further
     * apart could not be compared.
     *
     * @param duration the duration
     * @return the nanoseconds
     */
    public static long boundedNanos(Duration duration) {
        return boundedNanos(duration, "duration");
    }

    /**
     * Returns a duration as the other method of this name does.
     *
     * @param duration the duration
     * @param name the name of the duration, for the error message
     * @return the nanoseconds
     */
    public static long boundedNanos(Duration duration, String name) {
        return Math.min(nanos(duration, name), Long.MAX_VALUE / 2);
    }

    /**
     * Returns a duration of more than zero as nanoseconds.
     *
     * @param duration the duration
     * @param name the name of the duration, for the error message
     * @return the nanoseconds; {@code Long.MAX_VALUE} means for ever
     */
    public static long positiveNanos(Duration duration, String name) {
        if (!Objects.requireNonNull(duration, name).isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + duration);
        }
        return nanos(duration, name);
    }
}
