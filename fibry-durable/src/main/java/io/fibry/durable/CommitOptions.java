package io.fibry.durable;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link DurableStore} commits.
 *
 * @param limit for how long an actor waits for a commit or a load; from a millisecond to a day
 */
public record CommitOptions(Duration limit) {
    /** Zero milliseconds are no limit in a database, and it has no number for a very long time. */
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** Checks the components. */
    public CommitOptions {
        if (Objects.requireNonNull(limit, "limit").compareTo(SHORTEST) < 0 || limit.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "the limit of a commit is from " + SHORTEST + " to " + LONGEST + ", not " + limit);
        }
    }

    /** {@return the usual options: five seconds} */
    public static CommitOptions defaults() {
        return new CommitOptions(Duration.ofSeconds(5));
    }

    /**
     * Returns the same options with another limit.
     *
     * @param time for how long an actor waits for a commit or a load
     * @return the options
     */
    public CommitOptions limit(Duration time) {
        return new CommitOptions(time);
    }
}
