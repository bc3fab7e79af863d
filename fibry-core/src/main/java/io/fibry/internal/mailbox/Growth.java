package io.fibry.internal.mailbox;

import io.fibry.event.HighWater;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.report.ContentClass;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports that an unbounded mailbox grows. An instance is made when the mailbox is long for the first time.
 * Senders look at the depth once for every {@link #INTERVAL} messages, whatever the actor does.
 *
 * <p>Messages carry no time. A mark records that the newest message had a certain number at a certain time.
 * As long as no message with that number was taken, the first message that waits is at least as old as the
 * mark. A sender that was held up may overwrite a mark with an older one: that mark is true as well. It may
 * say less, or it is of no use and is replaced at the next look.
 *
 * <p>{@code level} counts how many of the depths 10,000, 100,000 and so on have been reported. A CAS raises
 * it, so each depth is reported by one sender.
 */
public final class Growth extends Feature {
    /** How many messages come between two looks of the senders. A power of two. */
    public static final int INTERVAL = 256;
    /** The depth from which on there may be something to report. */
    public static final int LONG = 1_000;
    private static final int FIRST = 10_000;
    private static final int FACTOR = 10;
    private static final int LEVELS = 6;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final VarHandle LEVEL =
            FieldAccess.of(MethodHandles.lookup(), "level", int.class);

    /** The number of the newest message at a time. */
    private record Mark(long at, int newest) {
    }

    /** The class of a message that came lately. Written by any sender and the turn; each value is true. */
    private volatile @Nullable Class<?> message;
    /** Written by any sender and the turn; each value is true. */
    private volatile @Nullable Mark mark;
    /** Written by CAS: the thread that raises it reports that depth, and writes {@code told} and {@code toldAt}. */
    private volatile int level;
    /** The time at which each depth was reported last. Written by the sender that has raised the level to it. */
    private final long[] toldAt = new long[LEVELS];
    private final boolean[] told = new boolean[LEVELS];

    /** Returns the growth of an actor's mailbox. Called by a sender. */
    public static Growth of(Cell cell) {
        var extended = cell.extendedState();
        var made = extended.feature(Growth.class);
        return made == null ? extended.addIfAbsent(Growth.class, new Growth()) : made;
    }

    /** Returns whether the sender of the message with this number, or in this slot, looks at the depth. */
    public static boolean isToLook(int number) {
        return (number & INTERVAL - 1) == 0;
    }

    /** Returns what a node contains; null if that is over, or if this is no message. */
    public static @Nullable Object contentOf(Node node) {
        return node instanceof MessageNode message ? message.content() : null;
    }

    /** Notes that this message comes. Called by its sender. */
    public void note(Object content) {
        message = ContentClass.of(content);
    }

    /**
     * Looks at a mailbox in which {@code depth} messages wait, with the numbers after {@code taken} up to
     * {@code newest}. Runs foreign code.
     */
    public void look(Cell cell, int depth, int newest, int taken) {
        var now = cell.spec.scope.time().nanoTime();
        var known = mark;
        if (known == null || known.newest - taken <= 0) {
            known = new Mark(now, newest);
            mark = known;
        }
        var seen = level;
        var reached = level(depth);
        if (reached > seen) {
            if (LEVEL.compareAndSet(this, seen, reached) && isDue(reached - 1, now)) {
                cell.report(
                        new HighWater(cell.name(), depth, OptionalInt.empty(), Optional.ofNullable(message),
                                Optional.of(Duration.ofNanos(Math.max(0, now - known.at))),
                                TimeoutDetails.stack(cell)));
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

    /** Returns how many of the reported depths this depth has reached. */
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
