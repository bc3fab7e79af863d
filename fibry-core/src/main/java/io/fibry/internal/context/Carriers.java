package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import io.fibry.ContextCarrier.Captured;
import io.fibry.internal.report.Events;
import io.fibry.internal.run.Runner;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The carriers of a scope, one at least: a scope without any has none of these. Does not change. */
public final class Carriers {
    private final List<Entry> entries;

    private Carriers(List<Entry> entries) {
        this.entries = entries;
    }

    /** A carrier, and whether it was said that it fails. An object of its own, so that one registered twice is two. */
    public static final class Entry {
        private final ContextCarrier carrier;
        private final AtomicBoolean reported = new AtomicBoolean();

        public Entry(ContextCarrier carrier) {
            this.carrier = carrier;
        }

        private @Nullable Captured capture() {
            try {
                return Objects.requireNonNull(carrier.capture(), "what the carrier has captured");
            } catch (Throwable failure) {
                failed("capture", failure);
                return carrier instanceof BlockCarrier<?> block ? block.nothing() : null;
            }
        }

        void failed(String what, Throwable failure) {
            if (reported.compareAndSet(false, true)) {
                Events.carrierFailed(
                        carrier instanceof BlockCarrier<?> block ? block.givenClass() : carrier.getClass(),
                        what, Runner.currentName(), failure);
            }
        }
    }

    public static Carriers with(@Nullable Carriers before, Entry added) {
        var entries = before == null ? new ArrayList<Entry>() : new ArrayList<>(before.entries);
        entries.add(added);
        return new Carriers(List.copyOf(entries));
    }

    static @Nullable Carriers without(@Nullable Carriers before, Entry removed) {
        var entries = before == null ? new ArrayList<Entry>() : new ArrayList<>(before.entries);
        if (!entries.remove(removed)) {
            return before;
        }
        return entries.isEmpty() ? null : new Carriers(List.copyOf(entries));
    }

    /** Of what comes from nobody: nothing may be bound. What else threads have is left as it is. */
    public Carried nothing() {
        var parcels = new ArrayList<Carried.Parcel>();
        for (var entry : entries) {
            if (entry.carrier instanceof BlockCarrier<?> block) {
                parcels.add(new Carried.Parcel(entry, block.nothing()));
            }
        }
        return new Carried(parcels);
    }

    public Carried capture() {
        var parcels = new ArrayList<Carried.Parcel>(entries.size());
        for (var entry : entries) {
            var captured = entry.capture();
            if (captured != null) {
                parcels.add(new Carried.Parcel(entry, captured));
            }
        }
        return new Carried(parcels);
    }
}
