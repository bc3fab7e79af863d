package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import io.fibry.ContextCarrier.Captured;
import io.fibry.TravellingCarrier;
import io.fibry.internal.report.Events;
import io.fibry.internal.run.Runner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the messages of a scope take along: the captures of its carriers, the sites of some senders, and the times of some
 * sends. A scope that has none of these has no such object. Immutable.
 */
public final class Carriers {
    private final List<Entry> entries;
    private final @Nullable SenderSites sites;
    private final @Nullable SendTimes times;

    private Carriers(List<Entry> entries, @Nullable SenderSites sites, @Nullable SendTimes times) {
        this.entries = entries;
        this.sites = sites;
        this.times = times;
    }

    /** Returns carriers that also remember the sites of some senders. */
    public static Carriers with(@Nullable Carriers before, SenderSites sites) {
        return before == null ? new Carriers(List.of(), sites, null)
                : new Carriers(before.entries, sites, before.times);
    }

    /** Returns carriers that also remember the times of some sends. */
    public static Carriers with(@Nullable Carriers before, SendTimes times) {
        return before == null ? new Carriers(List.of(), null, times)
                : new Carriers(before.entries, before.sites, times);
    }

    /**
     * A registered carrier, and whether its failure was reported. A carrier that is registered twice has two entries.
     */
    public static final class Entry {
        private final ContextCarrier carrier;
        private final AtomicBoolean reported = new AtomicBoolean();
        /** Whether it was reported that the context of this carrier stays in the process. */
        private final AtomicBoolean reportedAsLocal = new AtomicBoolean();

        public Entry(ContextCarrier carrier) {
            this.carrier = carrier;
        }

        private @Nullable Captured capture() {
            try {
                return Objects.requireNonNull(carrier.capture(), "what the carrier has captured");
            } catch (Throwable failure) {
                failed("capture", failure);
                return carrier instanceof BlockCarrier<?> block ? block.unbound() : null;
            }
        }

        void failed(String what, Throwable failure) {
            if (reported.compareAndSet(false, true)) {
                Events.carrierFailed(userClass(), what, Runner.currentName(), failure);
            }
        }

        private Class<?> userClass() {
            return carrier instanceof BlockCarrier<?> block ? block.userClass() : carrier.getClass();
        }

        private void write(Map<String, Map<String, String>> written) {
            if (carrier instanceof TravellingCarrier travelling) {
                try {
                    var text = travelling.write();
                    if (!text.isEmpty()) {
                        written.put(travelling.name(), text);
                    }
                } catch (Throwable failure) {
                    failed("write", failure);
                }
            } else if (reportedAsLocal.compareAndSet(false, true)) {
                Events.carrierDoesNotTravel(userClass());
            }
        }

        private @Nullable Captured read(Map<String, Map<String, String>> written) {
            if (!(carrier instanceof TravellingCarrier travelling)) {
                return null;
            }
            try {
                var text = written.get(travelling.name());
                return text == null ? null
                        : Objects.requireNonNull(travelling.read(text), "what the carrier has read");
            } catch (Throwable failure) {
                failed("read", failure);
                return null;
            }
        }
    }

    /** Writes the context of the calling thread that can travel to other nodes, by the names of its carriers. */
    public static Map<String, Map<String, String>> write(@Nullable Carriers carriers) {
        if (carriers == null || carriers.entries.isEmpty()) {
            return Map.of();
        }
        var written = new LinkedHashMap<String, Map<String, String>>();
        for (var entry : carriers.entries) {
            entry.write(written);
        }
        return written;
    }

    /** Reads what the carriers of another node have written; returns null if there is nothing that these know. */
    public static @Nullable Carried read(@Nullable Carriers carriers,
            Map<String, Map<String, String>> written) {
        if (carriers == null || written.isEmpty()) {
            return null;
        }
        var captures = new ArrayList<Carried.Capture>();
        for (var entry : carriers.entries) {
            var captured = entry.read(written);
            if (captured != null) {
                captures.add(new Carried.Capture(entry, captured));
            }
        }
        return captures.isEmpty() ? null : new Carried(captures);
    }

    public static Carriers with(@Nullable Carriers before, Entry added) {
        var entries = before == null ? new ArrayList<Entry>() : new ArrayList<>(before.entries);
        entries.add(added);
        return before == null ? new Carriers(List.copyOf(entries), null, null)
                : new Carriers(List.copyOf(entries), before.sites, before.times);
    }

    static @Nullable Carriers without(@Nullable Carriers before, Entry removed) {
        var entries = before == null ? new ArrayList<Entry>() : new ArrayList<>(before.entries);
        if (!entries.remove(removed)) {
            return before;
        }
        var sites = before == null ? null : before.sites;
        var times = before == null ? null : before.times;
        return entries.isEmpty() && sites == null && times == null ? null
                : new Carriers(List.copyOf(entries), sites, times);
    }

    /**
     * Returns what is carried with a message without a known sender: no scoped value may be bound. All other context of
     * the thread is left as it is.
     */
    public Carried nothing() {
        var captures = new ArrayList<Carried.Capture>();
        for (var entry : entries) {
            if (entry.carrier instanceof BlockCarrier<?> block) {
                captures.add(new Carried.Capture(entry, block.unbound()));
            }
        }
        return new Carried(captures);
    }

    /**
     * Returns whether nothing is carried with the next message of the calling thread. If so, that message is counted. Otherwise
     * {@link #capture} counts it.
     */
    public boolean passNext() {
        return times != null && entries.isEmpty() && sites == null && times.passesNext();
    }

    /** Takes back that {@link #passNext} has counted a message, which {@link #capture} is now to count. */
    public void takeBackPassed() {
        if (times != null) {
            times.takeBackPassed();
        }
    }

    /** Returns what is carried with a message that the calling thread sends; null if nothing is. */
    public @Nullable Carried capture() {
        var timing = times != null && times.takesNext() ? times : null;
        if (timing == null && entries.isEmpty() && sites == null) {
            return null;
        }
        var site = sites == null ? null : sites.capture();
        var captures = captures();
        return timing == null ? new Carried(captures, site) : new Carried(captures, site, timing);
    }

    /**
     * Returns what is carried with what the calling thread does not send itself: with a message that it passes on, whose
     * site is known, or with code that has no site, as a body or a scheduled job.
     */
    public Carried capture(@Nullable SendSite sentFrom) {
        return new Carried(captures(), sentFrom);
    }

    private List<Carried.Capture> captures() {
        if (entries.isEmpty()) {
            return List.of();
        }
        var captures = new ArrayList<Carried.Capture>(entries.size());
        for (var entry : entries) {
            var captured = entry.capture();
            if (captured != null) {
                captures.add(new Carried.Capture(entry, captured));
            }
        }
        return captures;
    }
}
