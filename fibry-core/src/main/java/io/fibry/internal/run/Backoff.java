package io.fibry.internal.run;

/**
 * Waits for a step that another thread is about to make. That thread runs, or waits for a processor. The wait first
 * spins, then yields, and then gives the carrier away.
 */
public final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = SPINS + 200;

    private int rounds;

    /** Tells whether yielding does not help the calling thread: see {@link CarrierHandoff}. */
    private static boolean needsHandoff() {
        var job = Runner.currentJob();
        return job != null && job.fairness() == Placement.Fairness.RELAYS;
    }

    public void pause() {
        rounds++;
        if (rounds < SPINS) {
            Thread.onSpinWait();
        } else if (rounds < YIELDS || !needsHandoff()) {
            Thread.yield();
        } else {
            CarrierHandoff.INSTANCE.end(CarrierHandoff.INSTANCE.pass(null));
        }
    }
}
