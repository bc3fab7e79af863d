package io.fibry.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * When something is to happen, and how often.
 *
 * <pre>{@code
 * Schedule.once(Duration.ofSeconds(5))
 * Schedule.fixedRate(Duration.ofSeconds(1)).startingAfter(Duration.ZERO).times(10)
 * }</pre>
 *
 * <p>Durations of more than a century or so are for ever.
 *
 * @param kind whether it repeats, and how
 * @param start when it happens for the first time
 * @param period from one time to the next; of no meaning for what happens once
 * @param most how many times it happens at most
 */
public record Schedule(Kind kind, Start start, Duration period, long most) {
    /** Whether something repeats, and how. */
    public enum Kind {
        /** It happens once. */
        ONCE,
        /**
         * At the first time and each period after that, however long it takes. What is late happens late, but only
         * once: when some have been missed, because the one before took long or the process stood still,
         * the others are left out. So there is never a burst of them.
         */
        FIXED_RATE,
        /** Each one a period after the end of the one before. */
        FIXED_DELAY
    }

    /** When something happens for the first time. */
    public sealed interface Start {
        /**
         * Some time after the schedule begins.
         *
         * @param delay how long after it
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
         * At a time of day. It is looked up on the {@linkplain TimeSource#clock clock} when the schedule begins and when
         * the time seems to have come: if the clock was set back, it waits on; if it was set ahead, it is late.
         *
         * @param time the time; if it is over, it happens at once
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
     * Once, after a delay.
     *
     * @param delay how long from when the schedule begins; not negative
     * @return the schedule
     */
    public static Schedule once(Duration delay) {
        return once(new Start.After(delay));
    }

    /**
     * Once, at a time of day.
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
     * Again and again, one period after the other; for the first time after one period.
     *
     * @param period from one time to the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedRate(Duration period) {
        return new Schedule(Kind.FIXED_RATE, new Start.After(period), period, Long.MAX_VALUE);
    }

    /**
     * Again and again, with a pause in between; for the first time after one pause.
     *
     * @param delay from the end of one to the beginning of the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedDelay(Duration delay) {
        return new Schedule(Kind.FIXED_DELAY, new Start.After(delay), delay, Long.MAX_VALUE);
    }

    /**
     * The same, with another first time.
     *
     * @param delay how long from when the schedule begins; not negative
     * @return the schedule
     */
    public Schedule startingAfter(Duration delay) {
        return new Schedule(kind, new Start.After(delay), period, most);
    }

    /**
     * The same, with another first time.
     *
     * @param time a time of day
     * @return the schedule
     */
    public Schedule startingAt(Instant time) {
        return new Schedule(kind, new Start.At(time), period, most);
    }

    /**
     * The same, but not more often than that.
     *
     * @param most how many times, at least one
     * @return the schedule
     */
    public Schedule times(long most) {
        return new Schedule(kind, start, period, kind == Kind.ONCE ? Math.min(1, most) : most);
    }
}
