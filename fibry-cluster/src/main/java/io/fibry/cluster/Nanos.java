package io.fibry.cluster;

import java.time.Duration;
import java.util.Objects;

/** Time limits in nanoseconds. One of more than 146 years means for ever, as in the whole library. */
final class Nanos {
    /** Points in time that are further apart could not be compared. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    private Nanos() {
    }

    /** Returns a limit of zero or more. To be called before anything is begun, since it may throw. */
    static long of(Duration limit, String name) {
        if (Objects.requireNonNull(limit, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + limit);
        }
        return (limit.compareTo(LONGEST) > 0 ? LONGEST : limit).toNanos();
    }
}
