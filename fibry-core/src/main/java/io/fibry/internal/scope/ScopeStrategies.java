package io.fibry.internal.scope;

import io.fibry.CreationStrategy;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.RunningLimit;
import io.fibry.internal.run.Strategies;
import org.jspecify.annotations.Nullable;

/** The strategies of the actors of a scope: its default, and the limits on how many turns run at a time. */
final class ScopeStrategies {
    private final @Nullable ScopeStrategies around;
    private final @Nullable CreationStrategy own;
    private final @Nullable RunningLimit limit;
    /** Whether this scope, or a scope around it whose limits are for this one, limits how many turns run at a time. */
    private final boolean isLimited;

    ScopeStrategies(ScopeSpec spec, @Nullable ScopeStrategies around) {
        this.around = around;
        own = spec.strategy();
        var running = spec.limits().running();
        limit = running.isPresent() ? new RunningLimit(running.getAsInt()) : null;
        isLimited = limit != null || (around != null && around.isLimited && !spec.isServing());
    }

    /** Returns the default of this scope, or else that of the nearest scope around it that has one; null if none has. */
    @Nullable CreationStrategy ofScope() {
        return own != null || around == null ? own : around.ofScope();
    }

    /** Returns the limit of this scope itself; null if it has none. */
    @Nullable RunningLimit limit() {
        return limit;
    }

    /** Returns a strategy with the limits of this scope and of the scopes around it. */
    CreationStrategy within(CreationStrategy strategy) {
        var result = strategy;
        if (isLimited && Strategies.isCounted(strategy)) {
            for (var scope = this; scope != null && scope.isLimited; scope = scope.around) {
                if (scope.limit != null && !scope.limit.appliesTo(result)) {
                    result = new LimitedStrategy(result, scope.limit);
                }
            }
        }
        return result;
    }
}
