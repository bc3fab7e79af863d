package io.fibry.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How long tests wait for what must happen. Long, since only a failure takes that time: on a slow machine with other work
 * a test that waits less fails without a fault. Shorter than the limit of JUnit, which cannot say what was waited for.
 */
public final class Patience {
    /** The limit of every wait. */
    public static final Duration LIMIT = Duration.ofSeconds(60);
    /** The same for those who want milliseconds. */
    public static final int MILLIS = (int) LIMIT.toMillis();

    private Patience() {
    }

    /** For what comes at any moment, or must be met at once when it comes: looks without a pause. */
    public static void spin(String what, BooleanSupplier state) {
        var begun = System.nanoTime();
        while (!state.getAsBoolean()) {
            if (System.nanoTime() - begun > LIMIT.toNanos()) {
                throw new AssertionError("waited " + LIMIT + " in vain for: " + what);
            }
            Thread.onSpinWait();
        }
    }
}
