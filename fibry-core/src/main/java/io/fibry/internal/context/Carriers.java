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

/** The carriers of a scope, at least one: a scope without carriers has no such object. Immutable. */
public final class Carriers {
    private final List<Entry> entries;

    private Carriers(List<Entry> entries) {
        this.entries = entries;
    }

    /**
     * A registered carrier, and whether its failure was reported. A carrier that is registered twice has two entries.
     */
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
                return carrier instanceof BlockCarrier<?> block ? block.unbound() : null;
            }
        }

        void failed(String what, Throwable failure) {
            if (reported.compareAndSet(false, true)) {
                Events.carrierFailed(
                        carrier instanceof BlockCarrier<?> block ? block.userClass() : carrier.getClass(),
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

    public Carried capture() {
        var captures = new ArrayList<Carried.Capture>(entries.size());
        for (var entry : entries) {
            var captured = entry.capture();
            if (captured != null) {
                captures.add(new Carried.Capture(entry, captured));
            }
        }
        return new Carried(captures);
    }
}
