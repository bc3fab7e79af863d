package io.fibry.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Determines when something happens, and how often.
 *
 * <pre>{@code
 * Schedule.once(Duration.ofSeconds(5))
 * Schedule.fixedRate(Duration.ofSeconds(1)).startingAfter(Duration.ZERO).times(10)
 * }</pre>
 *
 * <p>A duration of more than about a century stands for ever.
 *
 * @param kind whether it repeats, and how
 * @param start when it happens for the first time
 * @param period the time from one occurrence to the next; not used for something that happens once
 * @param most how many times it happens at most
 */
public record Schedule(Kind kind, Start start, Duration period, long most) {
    /** Determines whether something is repeated, and how. */
    public enum Kind {
        /** It happens once. */
        ONCE,
        /**
         * It happens at the first time and one period after another from there, no matter how long each occurrence
         * takes. An occurrence that is late takes place late, but only once: if several have been missed, because the
         * one before took long or the process stood still, the others are left out. So there is never a burst.
         */
        FIXED_RATE,
        /** Each occurrence is one period after the end of the one before. */
        FIXED_DELAY
    }

    /** Determines when something happens for the first time. */
    public sealed interface Start {
        /**
         * Some time after the beginning of the schedule.
         *
         * @param delay the time after the beginning of the schedule
         */
        record After(Duration delay) implements Start {
            /**
             * Checks the delay.
             *
             * @param delay not negative
             */
            public After {
                notNegative(delay, "delay");
            }
        }

        /**
         * A time of day. It is compared with the {@linkplain TimeSource#clock clock} when the schedule begins and when
         * the time seems to have come. If the clock was set back meanwhile, the schedule waits on. If it was set ahead,
         * the occurrence is late.
         *
         * @param time the time; if it has passed, it happens at once
         */
        record At(Instant time) implements Start {
            /**
             * Checks the time.
             *
             * @param time not null
             */
            public At {
                Objects.requireNonNull(time, "time");
            }
        }
    }

    /**
     * Checks the numbers.
     *
     * @param kind not null
     * @param start not null
     * @param period more than zero
     * @param most at least one
     */
    public Schedule {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(start, "start");
        if (notNegative(period, "period").isZero()) {
            throw new IllegalArgumentException("period must be more than zero: " + period);
        }
        if (most < 1) {
            throw new IllegalArgumentException(
                    "it must happen at least once, not at most " + most + " times");
        }
    }

    private static Duration notNegative(Duration duration, String name) {
        if (Objects.requireNonNull(duration, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        return duration;
    }

    /**
     * Returns a schedule for one occurrence, after a delay.
     *
     * @param delay the time from the beginning of the schedule, not negative
     * @return the schedule
     */
    public static Schedule once(Duration delay) {
        return once(new Start.After(delay));
    }

    /**
     * Returns a schedule for one occurrence, at a time of day.
     *
     * @param time the time
     * @return the schedule
     */
    public static Schedule at(Instant time) {
        return once(new Start.At(time));
    }

    private static Schedule once(Start start) {
        return new Schedule(Kind.ONCE, start, Duration.ofNanos(1), 1);
    }

    /**
     * Returns a schedule for repeated occurrences at a fixed rate. The first one is after one period.
     *
     * @param period the time from one occurrence to the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedRate(Duration period) {
        return new Schedule(Kind.FIXED_RATE, new Start.After(period), period, Long.MAX_VALUE);
    }

    /**
     * Returns a schedule for repeated occurrences with a pause between them. The first one is after one pause.
     *
     * @param delay the time from the end of one occurrence to the beginning of the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedDelay(Duration delay) {
        return new Schedule(Kind.FIXED_DELAY, new Start.After(delay), delay, Long.MAX_VALUE);
    }

    /**
     * Returns the same schedule with another first time.
     *
     * @param delay the time from the beginning of the schedule, not negative
     * @return the new schedule
     */
    public Schedule startingAfter(Duration delay) {
        return new Schedule(kind, new Start.After(delay), period, most);
    }

    /**
     * Returns the same schedule with another first time.
     *
     * @param time a time of day
     * @return the new schedule
     */
    public Schedule startingAt(Instant time) {
        return new Schedule(kind, new Start.At(time), period, most);
    }

    /**
     * Returns the same schedule with a limit of occurrences.
     *
     * @param most the number of occurrences, at least one
     * @return the new schedule
     */
    public Schedule times(long most) {
        return new Schedule(kind, start, period, kind == Kind.ONCE ? Math.min(1, most) : most);
    }
}
