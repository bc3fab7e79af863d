package io.fibry.micrometer;

import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import io.fibry.measure.MeasuredScope;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The meters of the scopes that have one name. Changed under the lock of {@link FibryMeters}. */
final class ScopeMeters implements AutoCloseable {
    private static final int MOST_GROUPS = 1_000;

    private final MeterRegistry registry;
    private final boolean withHistograms;
    private final List<WeakReference<MeasuredScope>> scopes = new CopyOnWriteArrayList<>();
    private final ConcurrentHashMap<String, GroupMeters> groups = new ConcurrentHashMap<>();
    private final CachedLoad load;
    private final Registered registered;
    /** Written by any thread that reads meters; read only when no scope is left. */
    private volatile long rescues;

    ScopeMeters(MeterRegistry registry, boolean withHistograms) {
        this.registry = registry;
        this.withHistograms = withHistograms;
        load = new CachedLoad(scopes, registry.config().clock());
        registered = new Registered(registry);
    }

    void add(MeasuredScope scope) {
        scopes.add(new WeakReference<>(scope));
        if (scopes.size() == 1) {
            registered.add(FunctionCounter.builder("fibry.lanes.rescues", this, ScopeMeters::rescues)
                    .tags("scope", scope.name())
                    .description(
                            "Actors that were moved to another thread since the handler before them did not end")
                    .register(registry));
        }
    }

    /** This is one number for the JVM, which any scope knows. */
    private double rescues() {
        for (var each : scopes) {
            var scope = each.get();
            if (scope != null) {
                rescues = scope.rescues();
                break;
            }
        }
        return rescues;
    }

    void add(MeasuredGroup group) {
        groups.computeIfAbsent(known(group.name()),
                name -> new GroupMeters(registry, group.scope(), name, load, withHistograms)).add(group);
    }

    @Nullable GroupMeters group(String name) {
        return groups.get(known(name));
    }

    /** Each scope bounds its groups, but the next scope of the same name may have others. */
    private String known(String name) {
        return groups.size() < MOST_GROUPS || groups.containsKey(name) ? name : MeasureOptions.OTHER;
    }

    /** Removes a scope; returns whether it was the last one. */
    boolean remove(MeasuredScope scope) {
        scopes.removeIf(each -> each.refersTo(scope));
        for (var group : scope.groups()) {
            var meters = group(group.name());
            if (meters != null) {
                meters.retire(group);
            }
        }
        return isEmpty();
    }

    boolean isEmpty() {
        scopes.removeIf(each -> each.refersTo(null));
        return scopes.isEmpty();
    }

    @Override
    public void close() {
        registered.close();
        groups.values().forEach(GroupMeters::close);
        groups.clear();
    }
}
