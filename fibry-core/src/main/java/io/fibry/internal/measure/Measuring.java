package io.fibry.internal.measure;

import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Host;
import io.fibry.internal.clock.Sampling;
import io.fibry.internal.context.SendTimes;
import io.fibry.internal.log.Logs;
import io.fibry.internal.run.Strategies;
import io.fibry.measure.MeasureListener;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import io.fibry.measure.MeasuredScope;
import io.fibry.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Measures the actors of a scope, and of the scopes inside it that have no listener of their own. */
public final class Measuring implements MeasuredScope {
    private static final Logger LOG = Logs.of("io.fibry");

    private final String name;
    private final TimeSource time;
    private final MeasureListener listener;
    private final MeasureOptions options;
    private final SendTimes sendTimes;
    private final Sampling ofFeatures;
    private final Set<Host> scopes = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<String, GroupCounts> groups = new ConcurrentHashMap<>();
    /** How many groups there are, or are about to be, beside the one of all others. */
    private final AtomicInteger places = new AtomicInteger();
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    /** The listener to the measures of a scope, and what it is to hear. */
    public record Setting(MeasureListener listener, MeasureOptions options) {
        public Setting {
            Objects.requireNonNull(listener, "listener");
            Objects.requireNonNull(options, "options");
        }

        /** Returns the options that the listener wishes. */
        public static Setting of(MeasureListener listener) {
            Objects.requireNonNull(listener, "listener");
            return new Setting(listener,
                    Objects.requireNonNull(listener.options(), "the options of the listener"));
        }

        /** Returns the first listener that is provided as a service; null if there is none, or it cannot be made. */
        public static @Nullable Setting provided() {
            try {
                var found = ServiceLoader.load(MeasureListener.class).findFirst();
                return found.isPresent() ? of(found.get()) : null;
            } catch (RuntimeException | Error failure) {
                LOG.error(
                        "the listener for measures that is provided as a service cannot be used: nothing is measured; "
                                + "see META-INF/services/" + MeasureListener.class.getName(),
                        failure);
                return null;
            }
        }
    }

    public Measuring(String scope, TimeSource time, Setting setting) {
        name = scope;
        this.time = time;
        listener = setting.listener;
        options = setting.options;
        sendTimes = new SendTimes(options.oneOf(), time);
        ofFeatures = new Sampling(options.oneOf());
        try {
            listener.onOpen(this);
        } catch (Throwable failure) {
            listenerFailed(failure);
        }
    }

    // ---- For scopes. ----

    /** Returns what lets messages take along when they were sent. */
    public SendTimes sendTimes() {
        return sendTimes;
    }

    public void cover(Host scope) {
        scopes.add(scope);
    }

    /** Removes a scope that has ended. */
    public void uncover(Host scope) {
        scopes.remove(scope);
    }

    /** Notes the end of the scope that has the listener. */
    public void end() {
        try {
            listener.onClose(this);
        } catch (Throwable failure) {
            listenerFailed(failure);
        }
    }

    /** Returns what measures a new actor. */
    public Feature observerOf(Cell cell) {
        return new MeasuredActor(group(groupName(cell)), !cell.behavior().isBody());
    }

    private String groupName(Cell cell) {
        try {
            return Objects.requireNonNull(
                    options.grouping().apply(cell.behavior().handlerClass(),
                            Optional.ofNullable(cell.givenName())),
                    "the name of the group");
        } catch (Throwable failure) {
            failed("the grouping of the measures of scope '{}' failed: the actor is in the group '"
                    + MeasureOptions.OTHER + "'; this is logged once", failure);
            return MeasureOptions.OTHER;
        }
    }

    private GroupCounts group(String groupName) {
        var known = groups.get(groupName);
        if (known != null) {
            return known;
        }
        var isOther = groupName.equals(MeasureOptions.OTHER);
        if (!isOther && places.getAndIncrement() >= options.maxGroups()) {
            places.getAndDecrement();
            return group(MeasureOptions.OTHER);
        }
        var fresh = new GroupCounts(this, groupName);
        var before = groups.putIfAbsent(groupName, fresh);
        if (before != null) {
            if (!isOther) {
                places.getAndDecrement();
            }
            return before;
        }
        try {
            listener.onGroup(fresh);
        } catch (Throwable failure) {
            listenerFailed(failure);
        }
        return fresh;
    }

    // ---- For actors. ----

    /** Returns whether the next message of a feature is of the sample. Other messages are chosen when they are sent. */
    boolean isNextTimed() {
        return ofFeatures.takesNext();
    }

    long nanoTime() {
        return time.nanoTime();
    }

    void waited(GroupCounts group, long sentAt) {
        try {
            listener.onWait(group, time.nanoTime() - sentAt);
        } catch (Throwable failure) {
            listenerFailed(failure);
        }
    }

    void ran(GroupCounts group, long since) {
        try {
            listener.onRun(group, time.nanoTime() - since);
        } catch (Throwable failure) {
            listenerFailed(failure);
        }
    }

    private void listenerFailed(Throwable failure) {
        failed("the listener for the measures of scope '{}' failed; this is logged once", failure);
    }

    private void failed(String text, Throwable failure) {
        if (hasFailed.compareAndSet(false, true)) {
            LOG.error(text, name, failure);
        }
    }

    // ---- For listeners. ----

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<MeasuredGroup> groups() {
        return List.copyOf(groups.values());
    }

    private static final class Load {
        long actors;
        long depth;
    }

    @Override
    public void count() {
        var loads = new HashMap<GroupCounts, Load>();
        for (var group : groups.values()) {
            loads.put(group, new Load());
        }
        for (var scope : scopes) {
            for (var cell : scope.cells()) {
                var extended = cell.extendedStateIfAny();
                var measured = extended == null ? null : extended.feature(MeasuredActor.class);
                if (measured != null) {
                    var load = loads.computeIfAbsent(measured.group, any -> new Load());
                    load.actors++;
                    load.depth += Math.max(0, cell.newest() - cell.taken());
                }
            }
        }
        loads.forEach((group, load) -> group.counted(load.actors, load.depth));
    }

    @Override
    public long rescues() {
        return Strategies.rescued();
    }

    @Override
    public String toString() {
        return "MeasuredScope[" + name + "]";
    }
}
