package io.fibry.work;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits how often something may happen: evenly spread, and several times at once after a quiet time. In any interval
 * it may happen as often as {@code messages} per {@code period} allow, and {@code burst} times more.
 *
 * @param messages how many times it may happen in a period
 * @param period the period
 * @param burst how many times it may happen at once
 */
public record RateLimit(int messages, Duration period, int burst) {
    /**
     * Checks the numbers.
     *
     * @param messages at least one
     * @param period more than zero, and at least one nanosecond for each message
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
     * Returns a limit of a number of times in a period, evenly spread.
     *
     * @param messages how many times, at least one
     * @param period the period
     * @return the limit
     */
    public static RateLimit of(int messages, Duration period) {
        return new RateLimit(messages, period, 1);
    }

    /**
     * Returns the same limit with more times at once after a quiet time.
     *
     * @param times how many times, at least one
     * @return the new limit
     */
    public RateLimit burst(int times) {
        return new RateLimit(messages, period, times);
    }
}
