package io.fibry.internal;

import io.fibry.time.Timers;

/** The timers of one actor, as the kernel sees them. */
interface TimerSet extends Timers<Object> {
    void cancelAll();
}
