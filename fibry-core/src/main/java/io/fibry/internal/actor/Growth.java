package io.fibry.internal.actor;

import io.fibry.event.Growing;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells that an unbounded mailbox grows. Made when it is long for the first time; senders look at it once for every
 * {@link #INTERVAL} messages, whatever the actor does.
 *
 * <p>No message is given a time. A mark says that the newest message had some number at some time: as long as no message
 * with that number was taken, the first one that waits is at least that old. A mark that is overwritten by a sender that
 * was held up is true as well, though it says less, or is of no use and is replaced at the next look.
 *
 * <p>{@code level} is how many of the numbers 10,000, 100,000 and so on have been told; a CAS raises it, so each is told
 * by one sender.
 */
public final class Growth {
    /** So often a sender looks. A power of two. */
    public static final int INTERVAL = 256;
    /** From here on there may be something to tell. */
    public static final int LONG = 1_000;
    private static final int FIRST = 10_000;
    private static final int FACTOR = 10;
    private static final int LEVELS = 6;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final VarHandle LEVEL =
            FieldAccess.of(MethodHandles.lookup(), "level", int.class);

    /** The number of the newest message at some time. */
    private record Mark(long at, int newest) {
    }

    /** Class of a message that came lately. */
    private volatile @Nullable Class<?> message;
    /** A number that a node had which still waits, or has waited. */
    private volatile int highest;
    private volatile @Nullable Mark mark;
    private volatile int level;
    /** When each number was told last; written by who has raised the level to it. */
    private final long[] toldAt = new long[LEVELS];
    private final boolean[] told = new boolean[LEVELS];

    /** A message of this class comes, with this number. By its sender. */
    public void note(Class<?> type, int number) {
        message = type;
        highest = number;
    }

    public int highest() {
        return highest;
    }

    /** Looks at a mailbox in which so many messages wait, those after {@code taken} up to {@code newest}. Runs foreign code. */
    public void look(Cell cell, int depth, int newest, int taken) {
        var now = cell.spec().scope().time().nanoTime();
        var known = mark;
        if (known == null || known.newest - taken <= 0) {
            known = new Mark(now, newest);
            mark = known;
        }
        var seen = level;
        var reached = level(depth);
        if (reached > seen) {
            if (LEVEL.compareAndSet(this, seen, reached) && isDue(reached - 1, now)) {
                cell.report(new Growing(cell.name(), depth, Optional.ofNullable(message),
                        Duration.ofNanos(Math.max(0, now - known.at)), TimeoutDetails.stack(cell)));
            }
        } else if (seen > 0 && depth < threshold(seen) / 2) {
            LEVEL.compareAndSet(this, seen, Math.max(reached, seen - 1));
        }
    }

    private boolean isDue(int number, long now) {
        if (told[number] && now - toldAt[number] < QUIET_NANOS) {
            return false;
        }
        told[number] = true;
        toldAt[number] = now;
        return true;
    }

    /** How many of the numbers a depth has reached. */
    private static int level(int depth) {
        var levels = 0;
        for (long number = FIRST; levels < LEVELS && depth >= number; number *= FACTOR) {
            levels++;
        }
        return levels;
    }

    private static long threshold(int reached) {
        long number = FIRST;
        for (int n = 1; n < reached; n++) {
            number *= FACTOR;
        }
        return number;
    }
}
