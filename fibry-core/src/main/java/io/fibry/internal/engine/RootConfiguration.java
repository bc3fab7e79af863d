package io.fibry.internal.engine;

import io.fibry.ScopeBuilder;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.scope.ScopeSpec;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The specification of the root scope until the root scope is made.
 *
 * <pre>
 *   spec: spec -> other spec   a thread that configures the root scope, by CAS
 *         spec -> null         the thread that uses the root scope first, by exchange, once
 * </pre>
 */
final class RootConfiguration {
    /** Replaced by threads that configure the root scope, by CAS, until the first use takes it. */
    private final AtomicReference<@Nullable ScopeSpec> spec = new AtomicReference<>(ScopeSpec.ofRoot());
    /** The place in the code that used the root scope first. Set by that thread, before it takes {@code spec}. */
    private volatile String firstUse = "";

    void change(UnaryOperator<ScopeBuilder> change) {
        Objects.requireNonNull(change, "change");
        while (true) {
            var before = spec.get();
            if (before == null) {
                throw tooLate();
            }
            var after = Objects.requireNonNull(change.apply(before), "what the change returns");
            if (!(after instanceof ScopeSpec mine) || mine.parent() != null) {
                throw new IllegalArgumentException(
                        "the change must return a configuration that comes from the one it is given, not "
                                + after);
            }
            mine.requireFitsRoot();
            if (spec.compareAndSet(before, mine)) {
                return;
            }
        }
    }

    /** Makes the root scope; called once. */
    Scope open() {
        firstUse = TimeoutDetails.place(Thread.currentThread().getStackTrace());
        var mine = Objects.requireNonNull(spec.getAndSet(null), "the root scope is made once")
                .orMeasuredByProvider();
        var strategy = mine.strategy();
        if (strategy != null) {
            RootScope.setDefaultStrategy(strategy); // the default can be changed later
        }
        return Scope.root(mine.followingDefaultStrategy(), new Assembly());
    }

    private IllegalStateException tooLate() {
        return new IllegalStateException(
                "the root scope is in use and cannot be configured any more: it was first used"
                        + (firstUse.isEmpty() ? "" : firstUse)
                        + "; call ActorSystem.configure before any actor or scope is made, at the beginning of main");
    }
}
