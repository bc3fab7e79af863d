package io.fibry.net;

import java.time.Duration;

/**
 * When an HTTP client tries again: after a failure of the connection, and after the statuses 429, 502, 503
 * and 504. It waits before that, each time about twice as long as the time before, less a random part of up to a
 * half; or as long as the server asks for by {@code Retry-After}. Only methods that do no harm when they are
 * repeated are (GET, HEAD, PUT, DELETE, OPTIONS, TRACE), unless {@link #allMethods} says otherwise. Immutable:
 * each call returns others.
 *
 * @param attempts how often in all, at least once
 * @param firstPause how long to wait before the second attempt
 * @param longestPause how long to wait at most, unless the server asks for more
 * @param deadline how long a request may take with all its attempts and pauses
 * @param allMethods whether POST and all others are repeated too
 */
public record HttpRetries(int attempts, Duration firstPause, Duration longestPause, Duration deadline,
        boolean allMethods) {
    private static final HttpRetries DEFAULT = new HttpRetries(3, Duration.ofMillis(100),
            Duration.ofSeconds(5), Duration.ofSeconds(30), false);

    /**
     * Checks the numbers.
     *
     * @param attempts at least one
     * @param firstPause more than zero
     * @param longestPause not less than the first
     * @param deadline more than zero
     * @param allMethods either
     */
    public HttpRetries {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts must be at least 1: " + attempts);
        }
        requirePositive(firstPause, "firstPause");
        requirePositive(deadline, "deadline");
        if (longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "longestPause must not be less than firstPause, " + firstPause + ": " + longestPause);
        }
    }

    private static void requirePositive(Duration value, String name) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + value);
        }
    }

    /**
     * Three attempts with a pause of 100 ms, then 200 ms, in 30 seconds at most.
     *
     * @return the defaults
     */
    public static HttpRetries standard() {
        return DEFAULT;
    }

    /**
     * No second attempt; in 30 seconds at most.
     *
     * @return one attempt
     */
    public static HttpRetries none() {
        return DEFAULT.attempts(1);
    }

    /**
     * The same with another number of attempts.
     *
     * @param most at least one
     * @return the retries
     */
    public HttpRetries attempts(int most) {
        return new HttpRetries(most, firstPause, longestPause, deadline, allMethods);
    }

    /**
     * The same with other pauses.
     *
     * @param first how long to wait before the second attempt
     * @param longest how long to wait at most
     * @return the retries
     */
    public HttpRetries pauses(Duration first, Duration longest) {
        return new HttpRetries(attempts, first, longest, deadline, allMethods);
    }

    /**
     * The same with another deadline.
     *
     * @param newDeadline how long a request may take in all
     * @return the retries
     */
    public HttpRetries deadline(Duration newDeadline) {
        return new HttpRetries(attempts, firstPause, longestPause, newDeadline, allMethods);
    }

    /**
     * The same, repeating POST and all other methods too. That is right where the server knows a request
     * that it has seen before.
     *
     * @return the retries
     */
    public HttpRetries repeatingAllMethods() {
        return new HttpRetries(attempts, firstPause, longestPause, deadline, true);
    }
}
