package io.fibry.internal.actor;

import io.fibry.time.Timers;

/**
 * The timers of one actor as the kernel sees them.
 */
public interface TimerSet extends Timers<Object> {
    void cancelAll();

    /** Returns how many timers are set. Called by any thread. */
    int size();
}
