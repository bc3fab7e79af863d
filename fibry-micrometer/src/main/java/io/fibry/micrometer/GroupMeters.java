package io.fibry.micrometer;

import io.fibry.event.Undelivered.Cause;
import io.fibry.measure.MeasuredGroup;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a group of actors, in all scopes of one name. The registry refers to this object weakly, and this object to the
 * scopes. Changed under the lock of {@link FibryMeters}.
 */
final class GroupMeters implements AutoCloseable {
    private static final List<Cause> CAUSES = List.of(Cause.values());
    private static final int RESTARTS = CAUSES.size();
    private static final int TIMEOUTS = RESTARTS + 1;
    private static final int COUNTS = TIMEOUTS + 1;

    private final String name;
    private final CachedLoad load;
    private final Registered registered;
    private final Timer waits;
    private final Timer runs;
    /**
     * What was counted so far; see {@link #CAUSES} and the indices after them. Written by a thread that adds or
     * removes scopes or groups, as a whole.
     */
    private volatile Counted counted = new Counted(List.of(), Collections.nCopies(COUNTS, 0L));

    /** A group that counts, and what it had counted when it was last read: it may be collected. */
    private static final class Counting extends WeakReference<MeasuredGroup> {
        private final AtomicLongArray last = new AtomicLongArray(COUNTS);

        Counting(MeasuredGroup group) {
            super(group);
        }

        long count(int which) {
            var group = get();
            return group == null ? last.get(which)
                    : last.accumulateAndGet(which, GroupMeters.count(group, which), Math::max);
        }
    }

    /** The groups that count, and what groups before them have counted. Replaced together, so that no sum is too small. */
    private record Counted(List<Counting> groups, List<Long> before) {
        long sum(int which) {
            var sum = before.get(which);
            for (var each : groups) {
                sum += each.count(which);
            }
            return sum;
        }

        Counted with(MeasuredGroup group) {
            var others = without(null);
            var more = new ArrayList<>(others.groups);
            more.add(new Counting(group));
            return new Counted(List.copyOf(more), others.before);
        }

        /** Keeps what the group has counted, and what those have that were collected. */
        Counted without(@Nullable MeasuredGroup group) {
            var others = new ArrayList<Counting>();
            var after = new ArrayList<>(before);
            for (var each : groups) {
                if (each.refersTo(group) || each.refersTo(null)) {
                    for (int i = 0; i < COUNTS; i++) {
                        after.set(i, after.get(i) + each.count(i));
                    }
                } else {
                    others.add(each);
                }
            }
            return new Counted(List.copyOf(others), List.copyOf(after));
        }
    }

    GroupMeters(MeterRegistry registry, String scope, String name, CachedLoad load, boolean withHistograms) {
        this.load = load;
        this.name = name;
        registered = new Registered(registry);
        var tags = Tags.of("scope", scope, "actors", name);
        try {
            waits = timer("fibry.actor.wait", "How long messages of the sample have waited", tags,
                    withHistograms);
            runs = timer("fibry.actor.run", "How long handlers of the sample ran", tags, withHistograms);
            for (int i = 0; i < CAUSES.size(); i++) {
                counter("fibry.messages.lost", "Messages that were lost",
                        tags.and("cause", CAUSES.get(i).name().toLowerCase(Locale.ROOT)), i);
            }
            counter("fibry.actor.restarts", "Restarts of actors", tags, RESTARTS);
            counter("fibry.asks.timeouts", "Asks that got no answer in time", tags, TIMEOUTS);
            registered.add(Gauge.builder("fibry.actors.live", this, GroupMeters::actors).tags(tags)
                    .description("Actors that are alive").register(registry));
            registered.add(Gauge.builder("fibry.mailbox.depth", this, GroupMeters::depth).tags(tags)
                    .description("Messages that wait for actors").register(registry));
        } catch (RuntimeException | Error failure) {
            removeAfter(failure);
            throw failure;
        }
    }

    private void removeAfter(Throwable failure) {
        try {
            registered.close();
        } catch (RuntimeException | Error second) {
            failure.addSuppressed(second);
        }
    }

    private Timer timer(String meter, String description, Tags tags, boolean withHistograms) {
        var timer = Timer.builder(meter).description(description).tags(tags);
        if (withHistograms) { // a setting of false would hide those of other configurations
            timer.publishPercentileHistogram();
        }
        return registered.add(timer.register(registered.registry()));
    }

    private void counter(String meter, String description, Tags tags, int which) {
        registered.add(FunctionCounter.builder(meter, this, meters -> meters.counted.sum(which)).tags(tags)
                .description(description).register(registered.registry()));
    }

    private static long count(MeasuredGroup group, int which) {
        return which == RESTARTS ? group.restarts()
                : which == TIMEOUTS ? group.askTimeouts() : group.lost(CAUSES.get(which));
    }

    void add(MeasuredGroup group) {
        counted = counted.with(group);
    }

    /** The scope of a group was closed. Its counts remain. */
    void retire(MeasuredGroup group) {
        counted = counted.without(group);
    }

    void waited(long nanos) {
        waits.record(nanos, TimeUnit.NANOSECONDS);
    }

    void ran(long nanos) {
        runs.record(nanos, TimeUnit.NANOSECONDS);
    }

    private double actors() {
        return load.of(name).actors();
    }

    private double depth() {
        return load.of(name).depth();
    }

    @Override
    public void close() {
        registered.close();
    }
}
