package io.fibry.internal.clock;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Chooses one of so many events, at random, so that no pattern of the events is preferred. Each thread counts down to
 * its next choice; threads share a small number of counts. Two threads that change a count at the same time lose a step
 * of it, which does no harm to a sample. Nothing waits, and nothing is allocated.
 */
public final class Sampling {
    private static final int COUNTS = 64;
    /** The distance of two counts in the array, which keeps them in different cache lines. */
    private static final int STEP = 16;
    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(COUNTS);
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final int oneOf;
    /** How many events come before the next choice, by thread. */
    private final AtomicIntegerArray left;

    /** Chooses one of {@code oneOf} events on the average. */
    public Sampling(int oneOf) {
        this.oneOf = oneOf;
        left = new AtomicIntegerArray(oneOf == 1 ? 0 : COUNTS * STEP);
        for (int i = 0; i < left.length(); i += STEP) {
            left.setPlain(i, gap());
        }
    }

    /** Returns how many events are passed over before the next choice: {@code oneOf - 1} on the average. */
    private int gap() {
        return SystemRandom.INSTANCE.nextInt(2 * oneOf - 1);
    }

    /** Returns whether the next event of the calling thread is chosen, and counts it. */
    public boolean takesNext() {
        return !passesNext() && choose();
    }

    /** Returns whether the next event of the calling thread is passed over, and counts it only then. */
    public boolean passesNext() {
        if (oneOf == 1) {
            return false;
        }
        var mine = mine();
        var before = left.getOpaque(mine);
        if (before <= 0) {
            return false;
        }
        left.setOpaque(mine, before - 1);
        return true;
    }

    /** Takes back that an event was passed over: the same event comes again, and is counted then. */
    public void takeBackPassed() {
        var mine = mine(); // an event is passed over only if there are counts
        left.setOpaque(mine, left.getOpaque(mine) + 1);
    }

    private boolean choose() {
        if (oneOf > 1) {
            left.setOpaque(mine(), gap());
        }
        return true;
    }

    private static int mine() {
        return (int) ((Thread.currentThread().threadId() * MIX) >>> SHIFT) * STEP;
    }
}
