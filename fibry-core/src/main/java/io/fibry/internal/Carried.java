package io.fibry.internal;

import io.fibry.ContextCarrier.Captured;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What goes with a message from its sender's thread to its handler's. Throws nothing, whatever carriers do. */
final class Carried {
    private final List<Parcel> parcels;

    Carried(List<Parcel> parcels) {
        this.parcels = parcels;
    }

    record Parcel(Carriers.Entry carrier, Captured captured) {
    }

    private record Undo(Carriers.Entry carrier, Runnable step) {
        void run() {
            try {
                step.run();
            } catch (Throwable failure) {
                carrier.failed("undo what it restored", failure);
            }
        }
    }

    /** Gives it to the current thread; what is returned takes it away again. */
    static Runnable restore(@Nullable Carried carried) {
        return carried == null ? Carried::nothing : carried.restore();
    }

    private static void nothing() {
    }

    private Runnable restore() {
        var undos = new ArrayList<Undo>(parcels.size());
        for (var parcel : parcels) {
            try {
                undos.add(new Undo(parcel.carrier, Objects.requireNonNull(parcel.captured.restore(),
                        "what undoes it")));
            } catch (Throwable failure) {
                parcel.carrier.failed("restore", failure);
            }
        }
        return () -> undos.reversed().forEach(Undo::run);
    }
}
