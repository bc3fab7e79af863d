package io.fibry.spring;

import io.fibry.CreationStrategy;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The strategies that a property can name. */
enum StrategyName {
    /** A virtual thread for an actor that has messages. */
    FIBERS,
    /** A platform thread for each actor. */
    THREADS,
    /** A pool of platform threads. */
    POOL,
    /** The thread of the sender. */
    CALLER;

    /** Fails if a number of threads belongs to no pool. */
    static void check(String prefix, @Nullable StrategyName strategy, @Nullable Integer threads) {
        if (threads != null && strategy != POOL) {
            throw new IllegalArgumentException(prefix + ".pool-threads is " + threads + ", but " + prefix
                    + ".strategy is " + (strategy == null ? "not set" : strategy.text())
                    + ": only a pool has a number of threads");
        }
    }

    /**
     * Returns the strategy.
     *
     * @param prefix the properties that have chosen it, for errors
     * @param threads the threads of a pool; null for one for each processor
     */
    CreationStrategy of(String prefix, @Nullable Integer threads) {
        return switch (this) {
            case FIBERS -> CreationStrategy.fibers();
            case THREADS -> CreationStrategy.threads();
            case POOL -> CreationStrategy.pool(checked(prefix, threads));
            case CALLER -> CreationStrategy.caller();
        };
    }

    /** Returns the strategy for tasks that are to run beside the thread that starts them. */
    CreationStrategy asideOf(String prefix, @Nullable Integer threads) {
        if (this == CALLER) {
            throw new IllegalArgumentException(prefix + ".strategy must not be " + text()
                    + ", which runs tasks on the thread that starts them; choose fibers, threads or pool");
        }
        return of(prefix, threads);
    }

    private static int checked(String prefix, @Nullable Integer threads) {
        if (threads == null) {
            return Runtime.getRuntime().availableProcessors();
        }
        if (threads < 1) {
            throw new IllegalArgumentException(prefix + ".pool-threads must be at least 1: " + threads);
        }
        return threads;
    }

    private String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
