package io.fibry.internal;

/**
 * Waits for what another thread is about to do: it runs, or is waiting for a processor. First spins, then
 * yields, then gives the carrier away for real.
 */
final class Backoff {
    private static final int SPINS = 64;
    private static final int YIELDS = SPINS + 200;

    private int rounds;

    void pause() {
        rounds++;
        if (rounds < SPINS) {
            Thread.onSpinWait();
        } else if (rounds < YIELDS || !Thread.currentThread().isVirtual()) {
            Thread.yield();
        } else {
            Relay.INSTANCE.ends(Relay.INSTANCE.pass(null));
        }
    }
}
