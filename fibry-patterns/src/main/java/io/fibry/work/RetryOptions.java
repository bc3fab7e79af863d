package io.fibry.work;

import io.fibry.FailurePolicy.Backoff;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

/**
 * Options of a {@link Retry}. Objects are immutable.
 *
 * @param attempts how many attempts there are at most, with the first one
 * @param backoff the pauses: the first one takes {@code min}, each further one is twice as long, up to {@code max}, and each
 *     is shortened by up to the part {@code jitter}
 * @param retries tells whether another attempt may follow a failure
 * @param random returns numbers from 0 to 1 for the jitter; thread-safe
 * @param listener hears of the attempts
 */
public record RetryOptions(int attempts, Backoff backoff, Predicate<? super Throwable> retries,
        DoubleSupplier random, Consumer<? super WorkEvent> listener) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Checks the numbers.
     *
     * @param attempts at least one
     * @param backoff not null
     * @param retries not null
     * @param random not null
     * @param listener not null
     */
    public RetryOptions {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: " + attempts);
        }
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(retries, "retries");
        Objects.requireNonNull(random, "random");
        Objects.requireNonNull(listener, "listener");
    }

    /**
     * Returns options by which any exception but an {@link Error} is retried.
     *
     * @param attempts how many attempts there are at most, with the first one
     * @param min the first pause
     * @param max the longest pause
     * @return the options, with a jitter of one half
     */
    public static RetryOptions of(int attempts, Duration min, Duration max) {
        return new RetryOptions(attempts, new Backoff(min, max, 0.5), failure -> failure instanceof Exception,
                RANDOM::nextDouble, event -> {
                });
    }

    /**
     * Returns the same options with other pauses.
     *
     * @param pauses the pauses
     * @return the new options
     */
    public RetryOptions withBackoff(Backoff pauses) {
        return new RetryOptions(attempts, pauses, retries, random, listener);
    }

    /**
     * Returns the same options with another choice of the failures that are retried.
     *
     * @param choice tells whether another attempt may follow a failure
     * @return the new options
     */
    public RetryOptions withRetries(Predicate<? super Throwable> choice) {
        return new RetryOptions(attempts, backoff, choice, random, listener);
    }

    /**
     * Returns the same options with another source of randomness.
     *
     * @param numbers returns numbers from 0 to 1; thread-safe
     * @return the new options
     */
    public RetryOptions withRandom(DoubleSupplier numbers) {
        return new RetryOptions(attempts, backoff, retries, numbers, listener);
    }

    /**
     * Returns the same options with another listener.
     *
     * @param hears the listener
     * @return the new options
     */
    public RetryOptions withListener(Consumer<? super WorkEvent> hears) {
        return new RetryOptions(attempts, backoff, retries, random, hears);
    }

    /** Returns the pause after an attempt. */
    Duration pauseAfter(int attempt) {
        var longest = Environment.nanos(backoff.max());
        var pause = Math.min(longest, Environment.nanos(backoff.min()));
        for (int i = 1; i < attempt && pause < longest; i++) {
            pause = pause > longest / 2 ? longest : pause * 2;
        }
        return Duration.ofNanos(pause - (long) (pause * backoff.jitter() * random.getAsDouble()));
    }
}
