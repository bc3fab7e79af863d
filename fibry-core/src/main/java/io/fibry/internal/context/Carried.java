package io.fibry.internal.context;

import io.fibry.ContextCarrier.Captured;
import io.fibry.ContextCarrier.Handling;
import io.fibry.internal.context.BlockCarrier.Block;
import io.fibry.internal.context.BlockCarrier.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The context that is carried with a message, from its sender's thread to its handler's. No method throws, whatever
 * carriers do.
 */
public final class Carried {
    private static final Runnable NOTHING = Carried::nothing;

    private final List<Capture> captures;
    private final @Nullable SendSite sentFrom;
    private final boolean isTimed;
    private final long sentAt;

    Carried(List<Capture> captures) {
        this(captures, null);
    }

    Carried(List<Capture> captures, @Nullable SendSite sentFrom) {
        this.captures = captures;
        this.sentFrom = sentFrom;
        isTimed = false;
        sentAt = 0;
    }

    /** Returns what is carried with a message of a sample. */
    Carried(List<Capture> captures, @Nullable SendSite sentFrom, SendTimes times) {
        this.captures = captures;
        this.sentFrom = sentFrom;
        isTimed = true;
        sentAt = times.now();
    }

    /** Returns whether it is known when the message was sent. */
    public boolean isTimed() {
        return isTimed;
    }

    /** Returns when the message was sent, if that is known, by the clock of the scope that measures it. */
    public long sentAt() {
        return sentAt;
    }

    /** Returns where the message was sent from; null if that was not remembered. */
    public @Nullable SendSite sentFrom() {
        return sentFrom;
    }

    record Capture(Carriers.Entry carrier, Captured captured) {
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

    /** Undoes what was done last first. */
    private record Undoing(List<Undo> undos) implements Runnable {
        @Override
        public void run() {
            for (int i = undos.size() - 1; i >= 0; i--) {
                undos.get(i).run();
            }
        }
    }

    /** A handler with the captures that are still to be bound around it. */
    private record Rest(Carried carried, int from, Runnable handling) implements Runnable {
        @Override
        public void run() {
            carried.inBlocks(from, handling);
        }
    }

    /**
     * Tells whether a handler for which this was captured may run on the calling thread as it is now: no value may be
     * bound there that was not bound where the message was sent.
     */
    public static boolean fits(@Nullable Carried carried) {
        return carried == null || carried.fits();
    }

    /** Runs a handler for which this was captured, with the context restored. A {@link Handling} tells carriers what it is. */
    public static void around(@Nullable Carried carried, Runnable handling) {
        if (carried == null) {
            handling.run();
        } else {
            carried.around(handling);
        }
    }

    /**
     * Restores the context that can be given to a thread; returns a task that takes it away again. Values that are
     * bound to blocks of code are left out.
     */
    public static Runnable restore(@Nullable Carried carried) {
        return carried == null ? NOTHING : carried.restoreFor(null);
    }

    private static void nothing() {
    }

    private boolean fits() {
        for (var capture : captures) {
            try {
                if (capture.captured instanceof Block block && !block.fits()) {
                    return false;
                }
            } catch (Throwable failure) {
                capture.carrier.failed("tell whether it is bound", failure);
            }
        }
        return true;
    }

    private void around(Runnable handling) {
        var undo = restoreFor(handling instanceof Handling told ? told : null);
        try {
            inBlocks(0, handling);
        } finally {
            undo.run();
        }
    }

    private void inBlocks(int from, Runnable handling) {
        for (int i = from; i < captures.size(); i++) {
            if (captures.get(i).captured instanceof Bound<?> bound) {
                new BoundHandler(new Rest(this, i + 1, handling)).run(bound, captures.get(i).carrier);
                return;
            }
        }
        handling.run();
    }

    private Runnable restoreFor(@Nullable Handling handling) {
        var undos = new ArrayList<Undo>(captures.size());
        for (var capture : captures) {
            if (capture.captured instanceof Block) {
                continue;
            }
            try {
                var captured = capture.captured;
                undos.add(new Undo(capture.carrier,
                        Objects.requireNonNull(
                                handling == null ? captured.restore() : captured.restore(handling),
                                "what undoes it")));
            } catch (Throwable failure) {
                capture.carrier.failed("restore", failure);
            }
        }
        LogContext.restoreName();
        // mutant: context-is-not-restored
        return new Undoing(undos);
    }

    /**
     * A handler that is given to a carrier, which is to run it once, on this thread. It runs exactly once, whatever the
     * carrier does.
     */
    private static final class BoundHandler implements Runnable {
        private final Runnable handling;
        private final Thread here = Thread.currentThread();
        private boolean started;
        private @Nullable Throwable thrown;

        BoundHandler(Runnable handling) {
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
            if (!started) {
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
            if (started) {
                throw new IllegalStateException("what a carrier is given to run runs once");
            }
            started = true;
            try {
                handling.run();
            } catch (Throwable failure) {
                thrown = failure;
                throw failure;
            }
        }
    }
}
