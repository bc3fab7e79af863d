package io.fibry.durable;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link DurableStore} commits.
 *
 * @param limit for how long an actor waits for a commit or a load; more than zero
 */
public record CommitOptions(Duration limit) {
    /** Checks the components. */
    public CommitOptions {
        if (Objects.requireNonNull(limit, "limit").isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("the limit must be more than zero: " + limit);
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
