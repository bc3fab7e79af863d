package io.fibry.internal.net;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;

/** Runs a short piece of code at regular intervals until it is cancelled. */
final class Ticks implements Runnable, Cancellable {
    private final TimeSource time;
    private final long nanos;
    private final Runnable code;
    /**
     * Written by the thread that sets the next timer, which then reads {@link #cancelled}; so one thread
     * cancels it.
     */
    private volatile Cancellable next = () -> false;
    /** Set by threads that cancel, before they read {@link #next}. */
    private volatile boolean cancelled;

    private Ticks(TimeSource time, long nanos, Runnable code) {
        this.time = time;
        this.nanos = nanos;
        this.code = code;
    }

    static Cancellable start(TimeSource time, long nanos, Runnable code) {
        var ticks = new Ticks(time, nanos, code);
        ticks.set();
        return ticks;
    }

    private void set() {
        next = time.schedule(nanos, this);
        if (cancelled) {
            next.cancel();
        }
    }

    @Override
    public void run() {
        if (!cancelled) {
            try {
                code.run();
            } finally {
                set(); // what fails for want of memory may succeed at the next tick
            }
        }
    }

    @Override
    public boolean cancel() {
        cancelled = true;
        return next.cancel();
    }
}
