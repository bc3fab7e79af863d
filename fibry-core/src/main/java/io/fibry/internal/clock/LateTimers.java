package io.fibry.internal.clock;

/** Is told of timers whose tasks are called late. Called on the timer thread, so it does not wait. */
@FunctionalInterface
public interface LateTimers {
    /** The timer thread is about to call this task, so many nanoseconds after the time for which it was set. */
    void late(Runnable task, long nanos);
}
