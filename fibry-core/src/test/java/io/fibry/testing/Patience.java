package io.fibry.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How long tests wait for what must happen. Long, since only a failure takes that time: on a slow machine with other work
 * a test that waits less fails without a fault. Shorter than the limit of JUnit, which cannot say what was waited for, and
 * no longer than the servers of the library leave a connection idle: they would close what a test finds open.
 */
public final class Patience {
    /** The limit of every wait. */
    public static final Duration LIMIT = Duration.ofSeconds(60);
    /** The same for those who want milliseconds. */
    public static final int MILLIS = (int) LIMIT.toMillis();

    /** Longer than what is looked for takes on another processor. */
    private static final long PAUSELESS_NANOS = 2_000_000;

    private Patience() {
    }

    /**
     * For what comes at any moment, or must be met at once when it comes: looks without a pause. After a while a virtual
     * thread yields between two looks, since what it looks for may need its carrier.
     */
    public static void spin(String what, BooleanSupplier state) {
        var begun = System.nanoTime();
        while (!state.getAsBoolean()) {
            var waited = System.nanoTime() - begun;
            if (waited > LIMIT.toNanos()) {
                throw new AssertionError(
                        "waited " + LIMIT + " in vain for: " + what + "\n" + ThreadsDump.ofOurs());
            }
            if (waited > PAUSELESS_NANOS && Thread.currentThread().isVirtual()) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
