package io.fibry.internal.engine;

import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.internal.run.JdkCheck;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Scope;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The root scope and the default strategy, of which a JVM has one each. */
public final class RootScope {
    static {
        JdkCheck.warnOnce();
    }

    /** Written by threads that change the default; it applies to actors that are made later. */
    private static volatile CreationStrategy defaultStrategy =
            Strategies.byName(System.getProperty("io.fibry.strategy", "fibers"));
    private static final RootConfiguration ROOT = new RootConfiguration();

    /** Holds the root scope, which is made when this class is initialized by the first use. */
    private static final class Root {
        static final Scope SCOPE = ROOT.open();
    }

    private RootScope() {
    }

    /**
     * Returns the root scope, which is the scope around all others.
     *
     * @return the root scope
     */
    public static Scope root() {
        return Root.SCOPE;
    }

    /**
     * Configures the root scope. This is possible only before its first use.
     *
     * @param change takes the current configuration and returns a changed one
     */
    public static void configureRoot(UnaryOperator<ScopeBuilder> change) {
        ROOT.change(change);
    }

    /**
     * Returns the strategy of scopes and actors that have no other.
     *
     * @return the strategy
     */
    public static CreationStrategy defaultStrategy() {
        return defaultStrategy;
    }

    /**
     * Sets the strategy of scopes and actors that have no other.
     *
     * @param strategy the strategy
     */
    public static void setDefaultStrategy(CreationStrategy strategy) {
        defaultStrategy = Objects.requireNonNull(strategy, "strategy");
    }
}
