package io.fibry.micrometer;

import io.fibry.measure.MeasuredScope;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The count of rescues. It is one number for the JVM, which any scope knows. */
final class LaneMeters implements AutoCloseable {
    private final List<WeakReference<MeasuredScope>> scopes = new CopyOnWriteArrayList<>();
    private final Registered registered;
    /** Written by any thread that reads meters; read only when no scope is left. */
    private volatile long last;

    LaneMeters(MeterRegistry registry) {
        registered = new Registered(registry);
        registered.add(FunctionCounter.builder("fibry.lanes.rescues", this, LaneMeters::rescues)
                .description(
                        "Actors that were moved to another thread since the handler before them did not end")
                .register(registry));
    }

    void add(MeasuredScope scope) {
        scopes.removeIf(each -> each.get() == null);
        scopes.add(new WeakReference<>(scope));
    }

    private double rescues() {
        for (var each : scopes) {
            var scope = each.get();
            if (scope != null) {
                last = scope.rescues();
                break;
            }
        }
        return last;
    }

    @Override
    public void close() {
        registered.close();
    }
}
