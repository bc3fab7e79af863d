package io.fibry.durable;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link DurableStore} commits.
 *
 * @param mostTurns how many turns may share a transaction; at least one
 * @param limit for how long an actor waits for a commit or a load; more than zero
 */
public record CommitOptions(int mostTurns, Duration limit) {
    /** Checks the components. */
    public CommitOptions {
        if (mostTurns < 1) {
            throw new IllegalArgumentException("a transaction has at least 1 turn, not " + mostTurns);
        }
        if (Objects.requireNonNull(limit, "limit").isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("the limit must be more than zero: " + limit);
        }
    }

    /**
     * Returns the usual options: 4,096 turns, and five seconds.
     *
     * @return the options
     */
    public static CommitOptions defaults() {
        return new CommitOptions(4096, Duration.ofSeconds(5));
    }

    /**
     * Returns the same options with another size of transactions.
     *
     * @param turns how many turns may share a transaction
     * @return the options
     */
    public CommitOptions mostTurns(int turns) {
        return new CommitOptions(turns, limit);
    }

    /**
     * Returns the same options with another limit.
     *
     * @param time for how long an actor waits for a commit or a load
     * @return the options
     */
    public CommitOptions limit(Duration time) {
        return new CommitOptions(mostTurns, time);
    }
}
