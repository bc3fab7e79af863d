package io.fibry.internal.context;

import io.fibry.ContextCarrier;
import io.fibry.ContextCarrier.Captured;
import io.fibry.internal.report.Events;
import io.fibry.internal.run.Runner;
import io.fibry.message.SendSite;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the messages of a scope take along: the captures of its carriers, and the sites of some senders. A scope that
 * has neither has no such object. Immutable.
 */
public final class Carriers {
    private final List<Entry> entries;
    private final @Nullable SenderSites sites;

    private Carriers(List<Entry> entries, @Nullable SenderSites sites) {
        this.entries = entries;
        this.sites = sites;
    }

    /** Returns carriers that also remember the sites of some senders. */
    public static Carriers with(@Nullable Carriers before, SenderSites sites) {
        return new Carriers(before == null ? List.of() : before.entries, sites);
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
        return new Carriers(List.copyOf(entries), before == null ? null : before.sites);
    }

    static @Nullable Carriers without(@Nullable Carriers before, Entry removed) {
        var entries = before == null ? new ArrayList<Entry>() : new ArrayList<>(before.entries);
        if (!entries.remove(removed)) {
            return before;
        }
        var sites = before == null ? null : before.sites;
        return entries.isEmpty() && sites == null ? null : new Carriers(List.copyOf(entries), sites);
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

    /** Returns what is carried with a message that the calling thread sends. */
    public Carried capture() {
        return capture(sites == null ? null : sites.capture());
    }

    /**
     * Returns what is carried with what the calling thread does not send itself: with a message that it passes on, whose
     * site is known, or with code that has no site, as a body or a scheduled job.
     */
    public Carried capture(@Nullable SendSite sentFrom) {
        var captures = new ArrayList<Carried.Capture>(entries.size());
        for (var entry : entries) {
            var captured = entry.capture();
            if (captured != null) {
                captures.add(new Carried.Capture(entry, captured));
            }
        }
        return new Carried(captures, sentFrom);
    }
}
