package io.fibry.bench;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Measures how long two processors take to hand a cache line over and back: one writes what the other one waits for, in turns. This is
 * what messages between processors cannot fall below, and it differs by a factor of ten among hosts.
 */
final class LineHandOver {
    private static final long NANOS = 100_000_000;
    /** The word is in the middle, so nothing else is in its line. */
    private static final int MIDDLE = 32;
    private static final int EXCHANGES = 64;
    private static final long OVER = -1;

    private LineHandOver() {
    }

    /** Returns the time for there and back, or that there is one processor only. */
    static String measure() {
        if (Runtime.getRuntime().availableProcessors() < 2) {
            return "one processor";
        }
        return Math.round(best()) + " ns";
    }

    /** Returns the mean of the fastest exchanges in a row: others on this machine may take a processor away meanwhile. */
    private static double best() {
        var words = new AtomicLongArray(2 * MIDDLE);
        Thread.ofPlatform().daemon().start(() -> {
            for (long turn = 1; await(words, turn); turn += 2) {
                words.set(MIDDLE, turn + 1);
            }
        });
        var best = Long.MAX_VALUE;
        var turn = 0L;
        var begin = System.nanoTime();
        for (var start = begin; start - begin < NANOS; start = System.nanoTime()) {
            for (int i = 0; i < EXCHANGES; i++) {
                words.set(MIDDLE, turn + 1);
                turn += 2;
                await(words, turn);
            }
            best = Math.min(best, System.nanoTime() - start);
        }
        words.set(MIDDLE, OVER);
        return (double) best / EXCHANGES;
    }

    private static boolean await(AtomicLongArray words, long turn) {
        var seen = words.get(MIDDLE);
        while (seen != turn && seen != OVER) {
            seen = words.get(MIDDLE);
        }
        return seen == turn;
    }
}
