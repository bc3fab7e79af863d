package io.fibry.internal.run;

import java.util.function.BooleanSupplier;

/**
 * Waits by checking a condition repeatedly, for a step that another processor may be about to make. Spinning pays off
 * only if another processor is. Therefore more chances to spin are skipped after each failure in a row, and none is
 * skipped after a success.
 *
 * <p>Several threads may use one object at a time. The fields are not synchronised: a race can only spoil an estimate.
 */
public final class Spinning {
    /** The number of checks. They take some microseconds: about as long as to yield and to be scheduled again. */
    private static final int LOOKS = 100;
    /** After this many failures in a row, one chance in about a thousand is used. */
    private static final int MAX_FAILURES = 10;

    /** The number of failures in a row. */
    private int failures;
    /** The number of chances that are still to be skipped. */
    private int toSkip;

    /** Tells whether to spin this time. Counts a skipped chance if not. */
    public boolean takeChance() {
        var skips = toSkip;
        if (skips > 0) {
            toSkip = skips - 1;
            return false;
        }
        return true;
    }

    /**
     * Checks the condition a limited number of times; returns true as soon as it holds, and false if it did not hold.
     */
    public boolean spin(BooleanSupplier isThere) {
        for (int i = 0; i < LOOKS; i++) {
            if (isThere.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Records whether spinning succeeded. */
    public void recordResult(boolean success) {
        if (success) {
            failures = 0;
        } else if (failures < MAX_FAILURES) {
            failures++;
        }
        // One chance of 1, 3, 7, ... is used. The period is odd, so of chances that alternate both kinds are used.
        toSkip = success ? 0 : (1 << failures) - 2;
    }
}
