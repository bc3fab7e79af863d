package io.fibry.internal.engine;

import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.internal.run.JdkCheck;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.scope.Scope;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** What there is one of in a JVM: the root scope and the default strategy. */
public final class RootScope {
    static {
        JdkCheck.warnOnce();
    }

    private static volatile CreationStrategy defaultStrategy =
            Strategies.byName(System.getProperty("io.fibry.strategy", "fibers"));
    private static final RootConfiguration ROOT = new RootConfiguration();

    /** Made when it is first used. */
    private static final class Root {
        static final Scope SCOPE = ROOT.open();
    }

    private RootScope() {
    }

    /**
     * The scope around all others.
     *
     * @return the root scope
     */
    public static Scope root() {
        return Root.SCOPE;
    }

    /**
     * Says how the root scope is to be. Before it is used.
     *
     * @param change takes the configuration so far, and returns another one
     */
    public static void configureRoot(UnaryOperator<ScopeBuilder> change) {
        ROOT.change(change);
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
