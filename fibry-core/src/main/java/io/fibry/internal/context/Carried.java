package io.fibry.internal.context;

import io.fibry.ContextCarrier.Captured;
import io.fibry.internal.context.BlockCarrier.Block;
import io.fibry.internal.context.BlockCarrier.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What goes with a message from its sender's thread to its handler's. Throws nothing, whatever carriers do. */
public final class Carried {
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

    /**
     * Whether a handler for which this was captured may run on the calling thread, as that is now: nothing may be bound
     * there that its sender had not.
     */
    public static boolean fits(@Nullable Carried carried) {
        return carried == null || carried.fits();
    }

    /** Runs a handler for which this was captured. */
    public static void around(@Nullable Carried carried, Runnable handling) {
        if (carried == null) {
            handling.run();
        } else {
            carried.around(handling);
        }
    }

    /**
     * Gives the current thread what can be given to a thread; what is returned takes it away again. What is bound to
     * blocks of code is left out.
     */
    public static Runnable restore(@Nullable Carried carried) {
        return carried == null ? Carried::nothing : carried.restore();
    }

    private static void nothing() {
    }

    private boolean fits() {
        for (var parcel : parcels) {
            try {
                if (parcel.captured instanceof Block block && !block.fits()) {
                    return false;
                }
            } catch (Throwable failure) {
                parcel.carrier.failed("tell whether it is bound", failure);
            }
        }
        return true;
    }

    private void around(Runnable handling) {
        var undo = restore();
        try {
            inBlocks(0, handling);
        } finally {
            undo.run();
        }
    }

    private void inBlocks(int from, Runnable handling) {
        for (int i = from; i < parcels.size(); i++) {
            if (parcels.get(i).captured instanceof Bound<?> bound) {
                var next = i + 1;
                new Inside(() -> inBlocks(next, handling)).run(bound, parcels.get(i).carrier);
                return;
            }
        }
        handling.run();
    }

    private Runnable restore() {
        var undos = new ArrayList<Undo>(parcels.size());
        for (var parcel : parcels) {
            if (parcel.captured instanceof Block) {
                continue;
            }
            try {
                undos.add(new Undo(parcel.carrier, Objects.requireNonNull(parcel.captured.restore(),
                        "what undoes it")));
            } catch (Throwable failure) {
                parcel.carrier.failed("restore", failure);
            }
        }
        LogContext.restoreName();
        // mutant: context-is-not-restored
        return () -> undos.reversed().forEach(Undo::run);
    }

    /** A handler in the hands of a carrier, which is to run it once and here. Whatever the carrier does, it runs once. */
    private static final class Inside implements Runnable {
        private final Runnable handling;
        private final Thread here = Thread.currentThread();
        private boolean begun;
        private @Nullable Throwable thrown;

        Inside(Runnable handling) {
            this.handling = handling;
        }

        void run(Bound<?> bound, Carriers.Entry carrier) {
            try {
                bound.run(this);
            } catch (Throwable failure) {
                if (failure != thrown) {
                    carrier.failed("bind", failure);
                }
            }
            if (!begun) {
                carrier.failed("bind", new IllegalStateException("it did not run the code it was given"));
                run();
            }
            if (thrown instanceof Error error) {
                throw error;
            } else if (thrown instanceof RuntimeException failure) {
                throw failure;
            }
        }

        @Override
        public void run() {
            if (Thread.currentThread() != here) {
                throw new IllegalStateException(
                        "what a carrier is given to run runs on the thread it was given on");
            }
            if (begun) {
                throw new IllegalStateException("what a carrier is given to run runs once");
            }
            begun = true;
            try {
                handling.run();
            } catch (Throwable failure) {
                thrown = failure;
                throw failure;
            }
        }
    }
}
