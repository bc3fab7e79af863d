package io.fibry.micrometer;

import io.fibry.durable.DurableStore;
import io.fibry.durable.DurableStore.Figure;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Objects;
import java.util.Set;

/**
 * Meters of the durable actors of a store, for which the module {@code fibry-durable} is on the class path: its {@linkplain DurableStore#figures() figures} with
 * {@code fibry.durable.} before their names. What only grows is a counter, and the others are gauges. Those of a kind of actors, or of a projection, have its name as the tag {@code of}.
 */
public final class DurableMeters implements AutoCloseable {
    private static final Set<String> GROWING = Set.of("commits", "commit.turns", "commit.seconds");

    private final DurableStore store;
    private final Registered meters;

    private DurableMeters(DurableStore store, MeterRegistry registry) {
        this.store = store;
        meters = new Registered(registry);
    }

    /**
     * Makes meters of what a store does. Call it when the actors and projections have begun: later ones have none.
     *
     * @param store the store
     * @param registry the registry
     * @return the meters, which are removed when this is closed
     * @throws IllegalStateException if the registry has such meters of another store
     */
    public static DurableMeters of(DurableStore store, MeterRegistry registry) {
        var all = new DurableMeters(Objects.requireNonNull(store, "store"),
                Objects.requireNonNull(registry, "registry"));
        try {
            store.figures().forEach(all::add);
        } catch (RuntimeException | Error notAll) {
            all.close();
            throw notAll;
        }
        return all;
    }

    private void add(Figure figure) {
        var name = "fibry.durable." + figure.name();
        var tags = figure.of().isEmpty() ? Tags.empty() : Tags.of("of", figure.of());
        var others = meters.registry().find(name).meters();
        Meter meter = GROWING.contains(figure.name())
                ? FunctionCounter.builder(name, store, now -> value(now, figure)).tags(tags)
                        .register(meters.registry())
                : Gauge.builder(name, store, now -> value(now, figure)).tags(tags)
                        .register(meters.registry());
        if (others.contains(meter)) {
            throw new IllegalStateException("The registry has " + meter.getId() + " of another store, so this"
                    + " one has no meter: close those, or give this store a CompositeMeterRegistry of its own,"
                    + " with a common tag");
        }
        meters.add(meter);
    }

    private static double value(DurableStore store, Figure figure) {
        return store.figures().stream()
                .filter(now -> now.name().equals(figure.name()) && now.of().equals(figure.of()))
                .mapToDouble(Figure::value).findFirst().orElse(Double.NaN);
    }

    @Override
    public void close() {
        meters.close();
    }
}
