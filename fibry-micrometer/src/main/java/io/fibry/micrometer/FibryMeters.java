package io.fibry.micrometer;

import io.fibry.ActorSystem;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasuredGroup;
import io.fibry.measure.MeasuredScope;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the actors of scopes, in a registry of Micrometer. One line at the beginning of {@code main} makes meters of the
 * whole program:
 *
 * <pre>{@code
 * ActorSystem.configure(root -> root.measures(FibryMeters.of(registry)));
 * }</pre>
 *
 * <p>{@code ActorSystem.configure("shop").measures(FibryMeters.of(registry)).open()} makes those of one scope and the scopes
 * inside it. Without any code, {@link java.util.ServiceLoader} gives the root scope meters in Micrometer's global registry.
 *
 * <p>The meters have the tags {@code scope}, the scope that was given the listener, and {@code actors}, a group of actors, as the
 * {@link io.fibry.measure.MeasureOptions} say. The actors for which no group is left share the group {@code other}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind</th><th>what</th></tr>
 * <tr><td>{@code fibry.actor.wait}</td><td>timer</td><td>how long messages of the sample have waited</td></tr>
 * <tr><td>{@code fibry.actor.run}</td><td>timer</td><td>how long handlers of the sample ran</td></tr>
 * <tr><td>{@code fibry.messages.lost}</td><td>counter</td><td>lost messages, with one more tag, {@code cause}</td></tr>
 * <tr><td>{@code fibry.actor.restarts}</td><td>counter</td><td>restarts</td></tr>
 * <tr><td>{@code fibry.asks.timeouts}</td><td>counter</td><td>asks that got no answer in time</td></tr>
 * <tr><td>{@code fibry.actors.live}</td><td>gauge</td><td>actors that are alive</td></tr>
 * <tr><td>{@code fibry.mailbox.depth}</td><td>gauge</td><td>messages that wait</td></tr>
 * <tr><td>{@code fibry.lanes.rescues}</td><td>counter</td><td>rescues of all actors on fibers in the JVM, the same number for each {@code scope}, the only tag</td></tr>
 * </table>
 *
 * <p>The timers have the sample only, so their counts are not the number of messages. The two gauges look at each actor; they
 * do so at most every five seconds, and at most for about a hundredth of the time, and report the last numbers meanwhile.
 *
 * <p>When a measured scope is closed, its meters are removed. Scopes of one name share their meters, which are removed with the
 * last of these scopes; counters keep what the scopes before it have counted. Together they have at most 1,000 groups, and
 * further ones count as {@link io.fibry.measure.MeasureOptions#OTHER}. A registry refers to a scope weakly.
 *
 * <p>A registry that throws harms neither actors nor senders: the group for which it has thrown has no meters, and the first
 * failure is logged. Use one object of this class for a registry; it may be given to any number of scopes. Thread-safe.
 */
public final class FibryMeters implements MeasureListener, AutoCloseable {
    private final MeterRegistry registry;
    private final boolean withHistograms;
    private final ConcurrentHashMap<String, ScopeMeters> scopes = new ConcurrentHashMap<>();

    /** Held by all who add or remove meters. Guards which meters there are; no code of an actor runs under it. */
    private final ReentrantLock change = new ReentrantLock();
    private boolean isClosed;

    /** Makes meters in {@link Metrics#globalRegistry}. This is for {@link java.util.ServiceLoader}. */
    public FibryMeters() {
        this(Metrics.globalRegistry, false);
    }

    private FibryMeters(MeterRegistry registry, boolean withHistograms) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.withHistograms = withHistograms;
    }

    /**
     * Returns what makes meters in a registry.
     *
     * @param registry the registry
     * @return a listener for {@link io.fibry.ScopeBuilder#measures}
     */
    public static FibryMeters of(MeterRegistry registry) {
        return new FibryMeters(registry, false);
    }

    /**
     * Returns what makes meters in a registry, of which the timers publish histograms. With Prometheus these are about 70 more
     * lines for each timer. Filters of the registry can choose histograms as well.
     *
     * @param registry the registry
     * @return a listener for {@link io.fibry.ScopeBuilder#measures}
     */
    public static FibryMeters withHistograms(MeterRegistry registry) {
        return new FibryMeters(registry, true);
    }

    @Override
    public void onOpen(MeasuredScope scope) {
        change.lock();
        try {
            if (isClosed) {
                return;
            }
            removeCollected();
            scopes.computeIfAbsent(scope.name(), name -> new ScopeMeters(registry, withHistograms))
                    .add(scope);
        } finally {
            change.unlock();
        }
    }

    @Override
    public void onGroup(MeasuredGroup group) {
        change.lock();
        try {
            var scope = scopes.get(group.scope());
            if (scope != null) {
                scope.add(group);
            }
        } finally {
            change.unlock();
        }
    }

    @Override
    public void onWait(MeasuredGroup group, long nanos) {
        var meters = metersOf(group);
        if (meters != null) {
            meters.waited(nanos);
        }
    }

    @Override
    public void onRun(MeasuredGroup group, long nanos) {
        var meters = metersOf(group);
        if (meters != null) {
            meters.ran(nanos);
        }
    }

    private @Nullable GroupMeters metersOf(MeasuredGroup group) {
        var scope = scopes.get(group.scope());
        return scope == null ? null : scope.group(group.name());
    }

    @Override
    public void onClose(MeasuredScope scope) {
        change.lock();
        try {
            var meters = scopes.get(scope.name());
            if (meters != null && meters.remove(scope)) {
                scopes.remove(scope.name());
                meters.close();
            }
        } finally {
            change.unlock();
        }
    }

    /** Removes the meters of scopes that were collected and had not been closed. */
    private void removeCollected() {
        for (var each : Map.copyOf(scopes).entrySet()) {
            if (each.getValue().isEmpty()) {
                scopes.remove(each.getKey());
                each.getValue().close();
            }
        }
    }

    /**
     * Removes all its meters from the registry, and makes no more. The scopes go on. A second call does nothing. The registry is
     * not closed.
     */
    @Override
    public void close() {
        change.lock();
        try {
            isClosed = true;
            var all = new HashMap<>(scopes);
            scopes.clear();
            all.values().forEach(ScopeMeters::close);
        } finally {
            change.unlock();
        }
    }

    @Override
    public String toString() {
        return "FibryMeters" + scopes.keySet();
    }
}
