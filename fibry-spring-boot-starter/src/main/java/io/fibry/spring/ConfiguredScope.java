package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.ScopeLimits;
import io.fibry.Watchdog;
import io.fibry.measure.MeasureListener;
import io.fibry.spring.FibryProperties.LimitProperties;
import io.fibry.spring.FibryProperties.ScopeProperties;
import io.fibry.spring.FibryProperties.WatchdogProperties;
import org.springframework.beans.factory.ObjectProvider;

/** Makes the scope of the program of its properties. */
final class ConfiguredScope {
    private final ScopeProperties properties;

    ConfiguredScope(ScopeProperties properties) {
        this.properties = properties;
    }

    ActorScope open(String applicationName, ObjectProvider<CreationStrategy> strategies,
            ObjectProvider<MeasureListener> measures, ObjectProvider<ActorScopeCustomizer> customizers) {
        var name = properties.name();
        var builder = ActorSystem.configure(name == null || name.isBlank() ? applicationName : name)
                .closeTimeout(properties.closeTimeout());
        builder = withStrategy(builder, strategies);
        builder = builder.limits(limits(properties.limits())).watchdog(watchdog(properties.watchdog()));
        var listener = measures.getIfUnique();
        if (listener != null) {
            builder = builder.measures(listener);
        }
        for (var each : customizers.orderedStream().toList()) {
            builder = each.customize(builder);
        }
        return builder.open();
    }

    private ScopeBuilder withStrategy(ScopeBuilder builder, ObjectProvider<CreationStrategy> strategies) {
        var chosen = properties.strategy();
        var strategy = chosen == null ? strategies.getIfUnique()
                : chosen.of("fibry.scope", properties.poolThreads());
        return strategy == null ? builder : builder.strategy(strategy);
    }

    private static ScopeLimits limits(LimitProperties properties) {
        var limits = ScopeLimits.none();
        if (properties.waiting() != null) {
            limits = limits.waiting(properties.waiting());
        }
        if (properties.asks() != null) {
            limits = limits.asks(properties.asks());
        }
        if (properties.running() != null) {
            limits = limits.running(properties.running());
        }
        if (properties.blockFor() != null) {
            limits = limits.overflow(OverflowPolicy.block(properties.blockFor()));
        }
        return limits;
    }

    private static Watchdog watchdog(WatchdogProperties properties) {
        var watchdog = Watchdog.none();
        if (properties.stuckAfter() != null) {
            watchdog = watchdog.stuckAfter(properties.stuckAfter());
        }
        if (properties.laggingAfter() != null) {
            watchdog = watchdog.laggingAfter(properties.laggingAfter());
        }
        if (properties.starvedAfter() != null) {
            watchdog = watchdog.starvedAfter(properties.starvedAfter());
        }
        if (properties.dumps() != null) {
            watchdog = watchdog.dumpsTo(properties.dumps());
        }
        return watchdog;
    }
}
