package io.fibry.time;

import java.time.Duration;
import java.util.Objects;

/**
 * How often something may happen: evenly spread, and after a quiet time a number of times at once. In any stretch of
 * time it may happen as often as {@code messages} to {@code period} says, and {@code burst} times more.
 *
 * @param messages how many times in a period
 * @param period the period
 * @param burst how many times at once
 */
public record RateLimit(int messages, Duration period, int burst) {
    /**
     * Checks the numbers.
     *
     * @param messages at least one
     * @param period more than zero, and long enough that each message has a nanosecond of it
     * @param burst at least one
     */
    public RateLimit {
        if (messages < 1) {
            throw new IllegalArgumentException("messages must be at least 1: " + messages);
        }
        if (burst < 1) {
            throw new IllegalArgumentException("burst must be at least 1: " + burst);
        }
        if (Objects.requireNonNull(period, "period").compareTo(Duration.ofNanos(messages)) < 0) {
            throw new IllegalArgumentException("period must have a nanosecond for each of " + messages
                    + " messages: " + period);
        }
    }

    /**
     * So many in a period, evenly spread.
     *
     * @param messages how many times, at least one
     * @param period in which time
     * @return the limit
     */
    public static RateLimit of(int messages, Duration period) {
        return new RateLimit(messages, period, 1);
    }

    /**
     * The same, with more at once after a quiet time.
     *
     * @param times how many times, at least one
     * @return the limit
     */
    public RateLimit burst(int times) {
        return new RateLimit(messages, period, times);
    }
}
