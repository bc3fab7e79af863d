package io.fibry.cluster.database;

import java.time.Duration;

/**
 * How long a node may serve. It reads two clocks, since the monotonic one may stand still in a machine that is suspended.
 *
 * <p>Written by the thread that keeps the lease, and read by all. To miss a renewal makes the lease seem over, which
 * harms nothing. If a reader gets one end from before a renewal and one from after it, both were true.
 */
final class Lease {
    /** A sixth of the lease is the margin: a clock may be that much faster or slower than another one. */
    private static final int MARGIN = 6;

    private final Clocks clocks;
    private final long serves;
    /** Written by the thread that keeps the lease, as {@code wallEnd}. */
    private volatile long end;
    private volatile long wallEnd = Long.MIN_VALUE;

    /** The clocks of a process. */
    interface Clocks {
        /** Returns the nanoseconds of a clock that never falls. */
        long nanoTime();

        /** Returns the nanoseconds of the time of day, which may be set. */
        long wallTime();

        /** The clocks of this process. */
        Clocks SYSTEM = new Clocks() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long wallTime() {
                return System.currentTimeMillis() * 1_000_000;
            }
        };
    }

    /** When something began. */
    record Begin(long nanos, long wall) {
    }

    Lease(Duration length, Clocks clocks) {
        this.clocks = clocks;
        serves = length.toNanos() - length.toNanos() / MARGIN;
        end = clocks.nanoTime();
    }

    Begin begin() {
        return new Begin(clocks.nanoTime(), clocks.wallTime());
    }

    /** A beat was confirmed. What counts is when it was begun: nobody has seen it before. */
    void renew(Begin beat) {
        end = beat.nanos + serves;
        wallEnd = beat.wall + serves;
    }

    /** Ends the lease now. */
    void end() {
        end = clocks.nanoTime();
        wallEnd = Long.MIN_VALUE;
    }

    boolean isOver() {
        return nanosLeft() <= 0;
    }

    long nanosLeft() {
        var wall = wallEnd;
        return wall == Long.MIN_VALUE ? 0 : Math.min(end - clocks.nanoTime(), wall - clocks.wallTime());
    }
}
