package io.fibry.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** Meters that are removed together. */
final class Registered implements AutoCloseable {
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    Registered(MeterRegistry registry) {
        this.registry = registry;
    }

    MeterRegistry registry() {
        return registry;
    }

    <T extends Meter> T add(T meter) {
        meters.add(meter);
        return meter;
    }

    @Override
    public void close() {
        meters.forEach(registry::remove);
        meters.clear();
    }
}
