package io.fibry.net;

import java.time.Duration;

/**
 * Determines when an HTTP client repeats a request: after a failure of the connection, and after the statuses 429, 502,
 * 503 and 504. Before each attempt the client pauses. A pause is about twice as long as the one before, less a random
 * part of up to a half; if the server asks for a pause by {@code Retry-After}, the pause is as long as that. Only
 * requests whose methods do no harm if they are repeated (GET, HEAD, PUT, DELETE, OPTIONS, TRACE) are repeated, unless
 * {@link #allMethods} is true. Objects of this class are immutable: each call returns another one.
 *
 * @param attempts how many attempts there are in all, at least one
 * @param firstPause the pause before the second attempt
 * @param longestPause the longest pause, unless the server asks for a longer one
 * @param deadline how long a request may take with all its attempts and pauses
 * @param allMethods whether POST and all other methods are repeated too
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
     * @param allMethods any value
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
     * Returns retries with three attempts, with a pause of 100 ms and then of 200 ms, in 30 seconds at most.
     *
     * @return the defaults
     */
    public static HttpRetries standard() {
        return DEFAULT;
    }

    /**
     * Returns retries with one attempt only, in 30 seconds at most.
     *
     * @return one attempt
     */
    public static HttpRetries none() {
        return DEFAULT.attempts(1);
    }

    /**
     * Returns the same retries with another number of attempts.
     *
     * @param most the number, at least one
     * @return the new retries
     */
    public HttpRetries attempts(int most) {
        return new HttpRetries(most, firstPause, longestPause, deadline, allMethods);
    }

    /**
     * Returns the same retries with other pauses.
     *
     * @param first the pause before the second attempt
     * @param longest the longest pause
     * @return the new retries
     */
    public HttpRetries pauses(Duration first, Duration longest) {
        return new HttpRetries(attempts, first, longest, deadline, allMethods);
    }

    /**
     * Returns the same retries with another deadline.
     *
     * @param newDeadline how long a request may take in all
     * @return the new retries
     */
    public HttpRetries deadline(Duration newDeadline) {
        return new HttpRetries(attempts, firstPause, longestPause, newDeadline, allMethods);
    }

    /**
     * Returns the same retries that also repeat POST and all other methods. This is right if the server recognizes a
     * request that it has seen before.
     *
     * @return the new retries
     */
    public HttpRetries repeatingAllMethods() {
        return new HttpRetries(attempts, firstPause, longestPause, deadline, true);
    }
}
