package io.fibry.internal.clock;

import org.jspecify.annotations.Nullable;

/**
 * The limits that last. All of it is confined to the timer thread. It takes the limits from {@link NewLimits} and sorts
 * them by time into the buckets of a wheel, in constant time and without memory of its own: a limit may have to be sorted
 * while memory is short.
 *
 * <p>Time is counted in ticks of a quarter of a millisecond, and 1,024 ticks are a block. The buckets of {@code near} stand
 * for one tick each: those of the present block and of the next one. The buckets of {@code far} stand for one block each.
 * When a block begins, the bucket of the block after it is sorted into {@code near}, which leaves a block's time to do so.
 * A limit is in a bucket whose tick begins when its time is over, or later. So it is up to a tick late, and never early.
 *
 * <p>The work is done in slices ({@link #step}), between which the thread runs the timers that are due: however many limits
 * end at once, a timer waits for one slice. In a slice, limits that are due come first; then new limits, blocks that are
 * to be sorted, and the sweep.
 *
 * <p>A limit that was cancelled stays in its bucket until that is due or swept. A sweep goes once through all buckets. It
 * comes when there are twice as many limits as the last one has left, and at least 16,384. So there are never more
 * cancelled limits here than that, or than about as many as there are others, and each limit is swept about once. Besides,
 * up to 1,023 limits wait in each of the up to 64 stacks of {@link NewLimits}, whether they were cancelled or not.
 */
final class LimitWheel {
    /** A tick has 2^18 nanoseconds, which is 0.26 ms. */
    private static final int TICK = 18;
    /** A block has 2^10 ticks, which is 0.27 s. */
    private static final int BLOCK = 10;
    private static final int NEAR = 2 << BLOCK;
    private static final int FAR = 1024;
    /** How many limits are looked at in one slice. */
    private static final int SLICE = 64;
    /** A limit that is over counts so often: threads may have to be woken for it. */
    private static final int EXPIRY = 4;
    private static final int SMALLEST_SWEEP = 16_384;

    private final NewLimits fresh;
    private final long origin;
    private final @Nullable Limit[] near = new Limit[NEAR];
    private final @Nullable Limit[] far = new Limit[FAR];
    private int nearSize;
    private int farSize;
    /** The last tick whose bucket was taken. */
    private long current;
    /** The last block that was sorted into {@code near}. */
    private long sorted = 1;
    /** The bucket of {@code near} that was taken because it is due; what of it is left. */
    private @Nullable Limit due;
    /** The stack or bucket that is being sorted; what of it is left. */
    private @Nullable Limit unsorted;
    private Source source = Source.NEW;
    /** How many stacks are still to be looked at. */
    private int stacksLeft;
    /** The bucket that the sweep comes to next, first those of {@code far}; {@code FAR + NEAR} if there is none. */
    private int sweepAt = FAR + NEAR;
    /** How many limits there are when the next sweep begins. */
    private int sweepSize = SMALLEST_SWEEP;
    /** All buckets of {@code near} before this tick, and after {@code current}, are empty. */
    private long firstTick;
    /** The same for {@code far}. */
    private long firstBlock;
    private @Nullable Limit watched;
    private boolean isIdle;

    /** Where the limits come from that are being sorted. */
    private enum Source {
        NEW, NEAR, FAR
    }

    /** Creates a wheel for these limits, which begins at this time. */
    LimitWheel(NewLimits fresh, long now) {
        this.fresh = fresh;
        origin = now;
    }

    private static long block(long tick) {
        return tick >> BLOCK;
    }

    /** Lets the next steps look at the new limits. */
    void lookAtNew() {
        stacksLeft = fresh.stacks();
    }

    /**
     * Does a part of what is to be done by now; returns false if there was nothing. If it is {@linkplain #isIdle idle}
     * after that, nothing was due, and the first limit is set or was cancelled a moment ago.
     */
    boolean step(long now) {
        var left = SLICE;
        isIdle = false;
        while (left > 0) {
            advance(now);
            var limit = due;
            if (limit != null) {
                due = limit.next;
                nearSize--;
                left -= sort(limit, now);
                continue;
            }
            limit = unsorted;
            if (limit != null) {
                unsorted = limit.next;
                if (source == Source.NEAR) {
                    nearSize--;
                } else if (source == Source.FAR) {
                    farSize--;
                }
                left -= sort(limit, now);
            } else if (!takeUnsorted()) {
                if (!trim()) {
                    isIdle = true;
                    return left < SLICE;
                }
                left--;
            }
        }
        return true;
    }

    /** Ends a limit that is over, drops one that was cancelled, and puts any other into its bucket; returns the costs. */
    private int sort(Limit limit, long now) {
        limit.next = null;
        var limited = limit.limited();
        if (limited == null) {
            return 1;
        }
        var end = limited.due();
        // mutant: limit-ends-early
        if (end - now > 0) {
            put(limit, ((end - origin) >> TICK) + 1);
            return 1;
        }
        if (limit.take() != null && !expire(limited)) {
            limit.restore(limited);
            put(limit, ((now - origin) >> TICK) + 1);
        }
        return EXPIRY;
    }

    /** Returns false if there is not enough memory for it. */
    private boolean expire(Limited limited) {
        try {
            limited.expire();
        } catch (OutOfMemoryError later) {
            return false; // not logged, which takes memory as well
        } catch (Throwable failure) {
            TimerQueue.report("the end of a time limit failed; the timers go on", failure);
        }
        assert fresh.count(-1);
        return true;
    }

    /** Puts a limit that is not over into a bucket. Its tick is after the current one, since that has begun. */
    private void put(Limit limit, long tick) {
        var block = block(tick);
        var ahead = block - block(current);
        if (ahead <= 1) {
            var place = (int) tick & NEAR - 1;
            limit.next = near[place];
            near[place] = limit;
            nearSize++;
            firstTick = Math.min(firstTick, tick);
        } else {
            var first = ahead <= FAR ? block : block(current) + FAR; // if it is farther away, it is sorted again then
            var place = (int) first & FAR - 1;
            limit.next = far[place];
            far[place] = limit;
            farSize++;
            firstBlock = Math.min(firstBlock, first);
        }
    }

    /** Takes the next bucket that is due, if the one before is done. */
    private void advance(long now) {
        var tick = (now - origin) >> TICK;
        while (due == null && current < tick) {
            if (nearSize == 0) {
                current = tick;
                return;
            }
            current++;
            due = take(near, (int) current & NEAR - 1);
        }
    }

    private static @Nullable Limit take(@Nullable Limit[] level, int place) {
        var taken = level[place];
        if (taken != null) {
            level[place] = null;
        }
        return taken;
    }

    /** Takes the next stack or bucket that is to be sorted; returns false if there is none. */
    private boolean takeUnsorted() {
        while (unsorted == null && stacksLeft > 0) {
            stacksLeft--;
            source = Source.NEW;
            unsorted = fresh.take(stacksLeft);
        }
        var next = block(current) + 1;
        sorted = Math.max(sorted, next - FAR);
        while (unsorted == null && sorted < next) {
            sorted++;
            source = Source.FAR;
            unsorted = take(far, (int) sorted & FAR - 1);
        }
        if (unsorted == null && sweepAt == FAR + NEAR && nearSize + farSize >= sweepSize) {
            sweepAt = 0;
        }
        while (unsorted == null && sweepAt < FAR + NEAR) {
            sweepOn();
        }
        return unsorted != null;
    }

    private void sweepOn() {
        source = sweepAt < FAR ? Source.FAR : Source.NEAR;
        unsorted = sweepAt < FAR ? take(far, sweepAt) : take(near, sweepAt - FAR);
        sweepAt++;
        if (sweepAt == FAR + NEAR) {
            sweepSize = Math.max(SMALLEST_SWEEP, 2 * (nearSize + farSize));
        }
    }

    /** Drops the first limit if it was cancelled, so that the thread does not wake for it; returns false if it was not. */
    private boolean trim() {
        if (nearSize > 0) {
            firstTick = Math.max(firstTick, current + 1);
            while (near[(int) firstTick & NEAR - 1] == null) {
                firstTick++;
            }
            if (trim(near, (int) firstTick & NEAR - 1)) {
                nearSize--;
                return true;
            }
        } else if (farSize > 0) {
            firstTick = Long.MAX_VALUE;
            firstBlock = Math.max(firstBlock, block(current) + 2);
            while (far[(int) firstBlock & FAR - 1] == null) {
                firstBlock++;
            }
            if (trim(far, (int) firstBlock & FAR - 1)) {
                farSize--;
                return true;
            }
        } else {
            firstTick = Long.MAX_VALUE;
            firstBlock = Long.MAX_VALUE;
        }
        return false;
    }

    private static boolean trim(@Nullable Limit[] level, int place) {
        var first = level[place];
        if (first == null || first.isSet()) {
            return false;
        }
        level[place] = first.next;
        first.next = null;
        return true;
    }

    /** Returns whether the last step has done all that there was to do. */
    boolean isIdle() {
        return isIdle;
    }

    boolean isEmpty() {
        return size() == 0;
    }

    /** Returns the number of limits, including those that were cancelled and not dropped yet. */
    int size() {
        return nearSize + farSize;
    }

    /** Returns when there is something to do, if it is not empty. Called after a step that found nothing. */
    long next() {
        var tick = nearSize > 0 ? firstTick : (firstBlock - 1) << BLOCK;
        return origin + (tick << TICK);
    }

    /** Returns whether there is a limit of which the thread will be told if it is cancelled; see {@link Limit#watch}. */
    boolean watch() {
        var seen = watched;
        if (seen == null || !seen.isSet()) {
            seen = nearSize > 0 ? near[(int) firstTick & NEAR - 1] : far[(int) firstBlock & FAR - 1];
            watched = seen != null && seen.watch() ? seen : null;
        }
        return watched != null;
    }
}
