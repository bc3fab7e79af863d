package io.fibry.time;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;

/**
 * Determines when something happens, and how often.
 *
 * <pre>{@code
 * Schedule.once(Duration.ofSeconds(5))
 * Schedule.fixedRate(Duration.ofSeconds(1)).startingAfter(Duration.ZERO).times(10)
 * Schedule.daily(LocalTime.of(3, 30), ZoneId.of("Europe/Berlin"))
 * }</pre>
 *
 * <p>A duration of more than about a century counts as for ever.
 *
 * <p>A time of day is compared with the {@linkplain TimeSource#clock clock} when the schedule begins and when the time seems
 * to have come. If the clock was set back meanwhile, the schedule waits on. If it was set ahead, the occurrence is late.
 *
 * @param kind whether it repeats, and how
 * @param delay how long after the beginning of the schedule it happens for the first time, or its calendar begins
 * @param start the time of day at which it first happens (at once, if that has passed), or its calendar begins; without a delay
 * @param period the time from one occurrence to the next, of a fixed rate or delay
 * @param calendar the line of cron of a calendar, with its zone as a last field; empty for others
 * @param most how many times it happens at most
 */
public record Schedule(Kind kind, Duration delay, Optional<Instant> start, Duration period, String calendar,
        long most) {
    private static final Duration NEVER_USED = Duration.ofNanos(1);

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
        FIXED_DELAY,
        /** It happens at the times of a line of cron. Those that are late or were missed are treated as at a fixed rate. */
        CALENDAR
    }

    /**
     * Checks the numbers.
     *
     * @param delay not negative
     * @param period more than zero
     * @param calendar a line that can be read, if this is the kind
     * @param most at least one
     */
    public Schedule {
        Objects.requireNonNull(kind, "kind");
        notNegative(delay, "delay");
        Objects.requireNonNull(start, "start");
        Objects.requireNonNull(calendar, "calendar");
        if (kind == Kind.CALENDAR) {
            cron(calendar);
        }
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
        return once(delay, Optional.empty());
    }

    /**
     * Returns a schedule for one occurrence, at a time of day.
     *
     * @param time the time
     * @return the schedule
     */
    public static Schedule at(Instant time) {
        return once(Duration.ZERO, Optional.of(Objects.requireNonNull(time, "time")));
    }

    private static Schedule once(Duration delay, Optional<Instant> start) {
        return new Schedule(Kind.ONCE, delay, start, NEVER_USED, "", 1);
    }

    /**
     * Returns a schedule for repeated occurrences at a fixed rate. The first one is after one period.
     *
     * @param period the time from one occurrence to the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedRate(Duration period) {
        return repeated(Kind.FIXED_RATE, period);
    }

    /**
     * Returns a schedule for repeated occurrences with a pause between them. The first one is after one pause.
     *
     * @param delay the time from the end of one occurrence to the beginning of the next, more than zero
     * @return the schedule
     */
    public static Schedule fixedDelay(Duration delay) {
        return repeated(Kind.FIXED_DELAY, delay);
    }

    private static Schedule repeated(Kind kind, Duration period) {
        return new Schedule(kind, period, Optional.empty(), period, "", Long.MAX_VALUE);
    }

    /**
     * Returns a schedule for each day.
     *
     * @param time the time of day, in whole seconds
     * @param zone its zone
     * @return the schedule
     */
    public static Schedule daily(LocalTime time, ZoneId zone) {
        return cron(line(time, "* * *"), zone);
    }

    /**
     * Returns a schedule for one day of each week.
     *
     * @param day the day
     * @param time the time of day, in whole seconds
     * @param zone its zone
     * @return the schedule
     */
    public static Schedule weekly(DayOfWeek day, LocalTime time, ZoneId zone) {
        return cron(line(time, "* * " + Objects.requireNonNull(day, "day").getValue()), zone);
    }

    /**
     * Returns a schedule for one day of each month.
     *
     * @param day the day, from 1 to 31; in a month that is shorter it is the last one
     * @param time the time of day, in whole seconds
     * @param zone its zone
     * @return the schedule
     */
    public static Schedule monthly(int day, LocalTime time, ZoneId zone) {
        return cron(line(time, day + "L * *"), zone);
    }

    private static String line(LocalTime time, String days) {
        if (!Objects.requireNonNull(time, "time").equals(time.truncatedTo(ChronoUnit.SECONDS))) {
            throw new IllegalArgumentException("a time of day has whole seconds: " + time);
        }
        return time.getSecond() + " " + time.getMinute() + " " + time.getHour() + " " + days;
    }

    /**
     * Returns a schedule for the times of a line of cron. It has five fields: minute, hour, day of the month, month (1 to 12,
     * or {@code JAN} to {@code DEC}) and day of the week (1 to 7 from Monday, 0 as Sunday, or {@code MON} to {@code SUN}). A
     * sixth field in front is the second, otherwise 0. A field has values, ranges and steps, separated by commas: {@code *},
     * {@code 5}, {@code 1-5}, {@code 0/15}, {@code MON-FRI}. If both fields of days are restricted, a day that one of them
     * names counts. {@code L} is the last day of a month, {@code 30L} the 30th, or the last day of a shorter month.
     *
     * <p>A time that is skipped, since the clock is put forward, comes at that moment. One that comes twice, since it is put
     * back, counts the first time. A line for all hours follows the clock: it makes up for nothing, and counts both times.
     *
     * @param line the line, such as {@code 0 9 * * MON-FRI}
     * @param zone the zone of its times
     * @return the schedule
     * @throws IllegalArgumentException if the line cannot be read, or names a day that never comes
     */
    public static Schedule cron(String line, ZoneId zone) {
        var calendar =
                Objects.requireNonNull(line, "line") + " " + Objects.requireNonNull(zone, "zone").getId();
        return new Schedule(Kind.CALENDAR, Duration.ZERO, Optional.empty(), NEVER_USED, calendar,
                Long.MAX_VALUE);
    }

    private static Cron cron(String calendar) {
        int zone = calendar.lastIndexOf(' ') + 1;
        return new Cron(calendar.substring(0, Math.max(0, zone - 1)), ZoneId.of(calendar.substring(zone)));
    }

    /**
     * Returns the next time of the calendar, from its start on.
     *
     * @param after the result is later than this time
     * @return the time; empty if this schedule has no calendar
     */
    public Optional<Instant> next(Instant after) {
        Objects.requireNonNull(after, "after");
        return kind == Kind.CALENDAR
                ? Optional.of(cron(calendar)
                        .next(start.filter(after::isBefore).map(first -> first.minusNanos(1)).orElse(after)))
                : Optional.empty();
    }

    /**
     * Returns the same schedule with another first time.
     *
     * @param delay the time from the beginning of the schedule, not negative
     * @return the new schedule
     */
    public Schedule startingAfter(Duration delay) {
        return new Schedule(kind, delay, Optional.empty(), period, calendar, most);
    }

    /**
     * Returns the same schedule with another first time.
     *
     * @param time a time of day
     * @return the new schedule
     */
    public Schedule startingAt(Instant time) {
        return new Schedule(kind, Duration.ZERO, Optional.of(Objects.requireNonNull(time, "time")), period,
                calendar, most);
    }

    /**
     * Returns the same schedule with a limit of occurrences.
     *
     * @param most the number of occurrences, at least one
     * @return the new schedule
     */
    public Schedule times(long most) {
        return new Schedule(kind, delay, start, period, calendar,
                kind == Kind.ONCE ? Math.min(1, most) : most);
    }
}
