package io.fibry.work;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Options of a {@link RateLimiter}. Objects are immutable.
 *
 * @param rate how often something may happen
 * @param waiting how many may wait at a time
 * @param listener hears of what waits and of what is refused
 */
public record RateLimiterOptions(RateLimit rate, int waiting, Consumer<? super WorkEvent> listener) {
    /**
     * Checks the numbers.
     *
     * @param rate not null
     * @param waiting zero or more
     * @param listener not null
     */
    public RateLimiterOptions {
        Objects.requireNonNull(rate, "rate");
        Objects.requireNonNull(listener, "listener");
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting must not be negative: " + waiting);
        }
    }

    /**
     * Returns options.
     *
     * @param rate how often something may happen
     * @param waiting how many threads may wait for their turn at a time; zero if none waits, as with {@code tryTurn} alone
     * @return the options
     */
    public static RateLimiterOptions of(RateLimit rate, int waiting) {
        return new RateLimiterOptions(rate, waiting, event -> {
        });
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public RateLimiterOptions withListener(Consumer<? super WorkEvent> hears) {
        return new RateLimiterOptions(rate, waiting, hears);
    }
}
