package io.fibry.internal.clock;

import io.fibry.time.TimeSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/** Lets scenarios play with the limits of a clock that is moved by hand. */
public final class LimitsProbe {
    private final TimerQueue timers;

    /** Limits by this clock, in one stack, with threads that stay for so long when there is none. */
    public LimitsProbe(TimeSource time, ThreadFactory threads, long keepAliveNanos) {
        timers = new TimerQueue(time::nanoTime, threads, keepAliveNanos, 0, nanos -> {
            var self = Thread.currentThread();
            var alarm = time.schedule(nanos, () -> LockSupport.unpark(self));
            LockSupport.park();
            alarm.cancel();
        });
    }

    public Limit set(Limited limited) {
        return timers.limit(limited);
    }

    public boolean cancel(Limit limit) {
        return timers.cancel(limit);
    }

    /** Sets a timer; returns what cancels it. */
    public Runnable timer(long nanos, Runnable task) {
        return timers.schedule(nanos, task)::cancel;
    }

    public int pending() {
        return timers.pending();
    }
}
