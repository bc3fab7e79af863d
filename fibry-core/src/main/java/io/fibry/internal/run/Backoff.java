package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/**
 * Waits for a step that another thread is about to make. That thread runs, or waits for a processor. The wait first
 * spins, then yields, and then gives the carrier away.
 */
public final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = SPINS + 200;

    private int rounds;

    /** Returns how the calling thread gives its carrier away; null if it is enough that it yields. */
    private static @Nullable Handoff handoff() {
        var job = Runner.currentJob();
        return job == null ? null : job.handoff();
    }

    public void pause() {
        rounds++;
        if (rounds < SPINS) {
            Thread.onSpinWait();
            return;
        }
        var handoff = rounds < YIELDS ? null : handoff();
        if (handoff == null) {
            Thread.yield();
        } else {
            handoff.pass(null).end();
        }
    }
}
