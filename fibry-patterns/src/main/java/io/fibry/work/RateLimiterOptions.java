package io.fibry.work;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Options of a {@link RateLimiter}. In any interval something may happen as often as {@code times} per {@code period} allow,
 * and {@code burst} times more. Objects are immutable.
 *
 * @param times how many times it may happen in a period, evenly spread
 * @param period the period
 * @param burst how many times it may happen at once, after a quiet time
 * @param waiting how many may wait at a time
 * @param listener hears of what waits and of what is refused
 */
public record RateLimiterOptions(int times, Duration period, int burst, int waiting,
        Consumer<? super WorkEvent> listener) {
    /**
     * Checks the numbers.
     *
     * @param times at least one
     * @param period more than zero, and at least one nanosecond for each time
     * @param burst at least one
     * @param waiting zero or more
     * @param listener not null
     */
    public RateLimiterOptions {
        if (times < 1) {
            throw new IllegalArgumentException("times must be at least 1: " + times);
        }
        if (burst < 1) {
            throw new IllegalArgumentException("burst must be at least 1: " + burst);
        }
        if (Objects.requireNonNull(period, "period").compareTo(Duration.ofNanos(times)) < 0) {
            throw new IllegalArgumentException("period must have a nanosecond for each of " + times
                    + " times: " + period);
        }
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
        Objects.requireNonNull(listener, "listener");
    }

    /**
     * Returns options.
     *
     * @param times how many times something may happen in a period, evenly spread
     * @param period the period
     * @param waiting how many threads may wait for their turn at a time; zero if none waits, as with {@code tryTurn} alone
     * @return the options
     */
    public static RateLimiterOptions of(int times, Duration period, int waiting) {
        return new RateLimiterOptions(times, period, 1, waiting, event -> {
        });
    }

    /**
     * Returns the same options with more times at once after a quiet time.
     *
     * @param atOnce how many times, at least one
     * @return the new options
     */
    public RateLimiterOptions withBurst(int atOnce) {
        return new RateLimiterOptions(times, period, atOnce, waiting, listener);
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public RateLimiterOptions withListener(Consumer<? super WorkEvent> hears) {
        return new RateLimiterOptions(times, period, burst, waiting, hears);
    }
}
