package io.fibry.internal.net;

import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Computes the pauses between attempts. */
final class Pauses {
    private static final int LONGEST_SHIFT = 62;

    private Pauses() {
    }

    /**
     * Returns the pause after an attempt. It doubles each time, less a random part of up to a half, so that clients
     * that fail together do not come back together.
     *
     * @param attempt the number of the attempt, from one
     */
    static long nanos(Duration first, Duration longest, int attempt, RandomGenerator random) {
        var firstNanos = Durations.positiveNanos(first, "the first pause");
        var mostNanos = Durations.positiveNanos(longest, "the longest pause");
        var shift = Math.min(attempt - 1, LONGEST_SHIFT);
        var doubled = firstNanos > mostNanos >> shift ? mostNanos : firstNanos << shift;
        return doubled - random.nextLong(doubled / 2 + 1);
    }
}
