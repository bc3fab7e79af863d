package io.fibry.internal.run;

/**
 * Waits for what another thread is about to do: it runs, or is waiting for a processor. First spins, then
 * yields, then gives the carrier away for real.
 */
public final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = SPINS + 200;

    private int rounds;

    /** Whether this thread is one that yielding does not help: see {@link CarrierHandoff}. */
    private static boolean isRelayed() {
        var job = Runner.currentJob();
        return job != null && job.fairness() == Placement.Fairness.RELAYS;
    }

    public void pause() {
        rounds++;
        if (rounds < SPINS) {
            Thread.onSpinWait();
        } else if (rounds < YIELDS || !isRelayed()) {
            Thread.yield();
        } else {
            CarrierHandoff.INSTANCE.end(CarrierHandoff.INSTANCE.pass(null));
        }
    }
}
