package io.fibry.internal;

import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.util.concurrent.locks.LockSupport;

/** Wakes a parked thread when its time is over: with it a wait has a limit without a timed park. */
final class Alarm implements AutoCloseable {
    private final Thread sleeper = Thread.currentThread();
    private final Cancellable timer;
    private volatile boolean rung;

    /** An alarm for the current thread; {@code Long.MAX_VALUE} never rings. */
    Alarm(TimeSource time, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            timer = () -> false;
        } else if (nanos <= 0) {
            rung = true;
            timer = () -> false;
        } else {
            timer = time.schedule(nanos, this::ring);
        }
    }

    private void ring() {
        rung = true;
        LockSupport.unpark(sleeper);
    }

    boolean hasRung() {
        return rung;
    }

    @Override
    public void close() {
        timer.cancel();
    }
}
