package io.fibry.internal.clock;

import io.fibry.time.Cancellable;
import org.jspecify.annotations.Nullable;

/** A timer that is set, and the handle to cancel it. A pending timer needs nothing else but its place in an array. */
public final class PendingTimer implements Cancellable {
    /** The {@link #place} of a timer that was cancelled, or whose time has come. */
    static final int GONE = -1;

    final long due;
    final TimerHeap home;

    // Guarded by the lock of the heap.
    int place = GONE;
    /** Orders timers that are due at the same time: the lower number goes first. */
    int number;
    @Nullable Runnable task;

    PendingTimer(TimerHeap home, long due, Runnable task) {
        this.home = home;
        this.due = due;
        this.task = task;
    }

    @Override
    public boolean cancel() {
        return home.cancel(this);
    }
}
