package io.fibry.work;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Options of a {@link Hedge}. Objects are immutable.
 *
 * @param delay after which time without a result the next attempt begins
 * @param attempts how many attempts there are at most, with the first one
 * @param listener hears of the attempts
 */
public record HedgeOptions(Duration delay, int attempts, Consumer<? super WorkEvent> listener) {
    /**
     * Checks the numbers.
     *
     * @param delay more than zero
     * @param attempts at least two
     * @param listener not null
     */
    public HedgeOptions {
        Objects.requireNonNull(listener, "listener");
        if (Objects.requireNonNull(delay, "delay").isNegative() || delay.isZero()) {
            throw new IllegalArgumentException("delay must be more than zero: " + delay);
        }
        if (attempts < 2) {
            throw new IllegalArgumentException("attempts must be at least 2: " + attempts);
        }
    }

    /**
     * Returns options for two attempts.
     *
     * @param delay after which time without a result the second attempt begins
     * @return the options
     */
    public static HedgeOptions after(Duration delay) {
        return new HedgeOptions(delay, 2, event -> {
        });
    }

    /**
     * Returns the same options with more attempts, each one a delay after the other.
     *
     * @param most how many attempts there are at most, at least two
     * @return the new options
     */
    public HedgeOptions withAttempts(int most) {
        return new HedgeOptions(delay, most, listener);
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public HedgeOptions withListener(Consumer<? super WorkEvent> hears) {
        return new HedgeOptions(delay, attempts, hears);
    }
}
