package io.fibry.internal.memory;

import java.util.function.BooleanSupplier;

/**
 * Waiting by looking again and again, for what another processor may be about to do. It pays if one is: so after each time
 * that was in vain more chances are left out, and after a success none. Several threads may use one of these at a time;
 * what they spoil is a guess.
 */
public final class Spinning {
    /** Some microseconds: about as long as it takes to give way and to come back. */
    private static final int LOOKS = 100;
    /** Then one chance of a thousand is taken. */
    private static final int MOST_IN_VAIN = 10;

    /** How often in a row. */
    private int inVain;
    /** How many chances are left out. */
    private int leftOut;

    /** Whether to take this chance. */
    public boolean isWorthwhile() {
        var more = leftOut;
        if (more > 0) {
            leftOut = more - 1;
            return false;
        }
        return true;
    }

    /** Looks for a moment; true as soon as it is there. */
    public boolean spin(BooleanSupplier isThere) {
        for (int i = 0; i < LOOKS; i++) {
            if (isThere.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** What came of it. */
    public void recordResult(boolean success) {
        if (success) {
            inVain = 0;
        } else if (inVain < MOST_IN_VAIN) {
            inVain++;
        }
        leftOut = success ? 0 : (1 << inVain) - 2; // each, one of 3, of 7: odd, so that what comes in turns is met either way
    }
}
