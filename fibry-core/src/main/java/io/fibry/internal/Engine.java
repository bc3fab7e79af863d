package io.fibry.internal;

import io.fibry.CreationStrategy;
import java.util.Objects;

/** What there is one of in a JVM: the root scope and the default strategy. */
public final class Engine {
    static {
        JdkCheck.warnOnce();
    }

    private static volatile CreationStrategy defaultStrategy =
            Strategies.byName(System.getProperty("io.fibry.strategy", "fibers"));
    private static final Scope ROOT = new Scope(ScopeSpec.ofRoot());

    private Engine() {
    }

    /**
     * The scope around all others.
     *
     * @return the root scope
     */
    public static Scope root() {
        return ROOT;
    }

    /**
     * The strategy of those that say nothing else.
     *
     * @return the strategy
     */
    public static CreationStrategy defaultStrategy() {
        return defaultStrategy;
    }

    /**
     * Sets the strategy of those that say nothing else.
     *
     * @param strategy the strategy
     */
    public static void setDefaultStrategy(CreationStrategy strategy) {
        defaultStrategy = Objects.requireNonNull(strategy, "strategy");
    }
}
