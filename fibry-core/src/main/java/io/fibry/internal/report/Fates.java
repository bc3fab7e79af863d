package io.fibry.internal.report;

import io.fibry.Counters;
import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the fates of the messages of a scope. */
public final class Fates {
    /** The fate of a message. */
    public enum Kind {
        HANDLED, FAILED, EXPIRED, DROPPED, REFUSED, UNDELIVERED;

        public static final int COUNT = values().length;
    }

    /** All causes, in the order of the counts of {@link #byCause}. */
    public static final Cause[] CAUSES = Cause.values();

    /** How many of the messages that were not handled are remembered: the first ones, to which a test or a person turns. */
    private static final int REMEMBERED = 8;
    /** The number of tallies. A lane that finds none free adds to the count that all share. */
    private static final int MAX_TALLIES = 64;
    private static final VarHandle TALLIES =
            FieldAccess.of(MethodHandles.lookup(), "tallies", Tally.class);
    private static final VarHandle FIRST_LOST =
            FieldAccess.of(MethodHandles.lookup(), "firstLost", List.class);

    /** A message that was not handled. The message itself is not kept. */
    private record Loss(String actor, String message, String why) {
        @Override
        public String toString() {
            return "actor '" + actor + "' did not get a message of " + message + ": " + why;
        }
    }

    private final LongAdder[] counts = adders(Kind.COUNT);
    private final LongAdder[] causes = adders(CAUSES.length);
    /** The newest tally, linked to the others. No tally is ever removed. Written by lanes, by CAS. */
    private volatile @Nullable Tally tallies;
    /** Written by any thread, by CAS; grows up to {@link #REMEMBERED}. */
    private volatile List<Loss> firstLost = List.of();

    private static LongAdder[] adders(int n) {
        var adders = new LongAdder[n];
        for (int i = 0; i < n; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    public void add(Kind kind, long n) {
        counts[kind.ordinal()].add(n);
    }

    /**
     * Lends the caller a part of the count of handled messages, which only the caller writes then; returns null if
     * there is none.
     */
    public @Nullable Tally borrowTally() {
        for (var tally = tallies; tally != null; tally = tally.next) {
            if (tally.borrow()) {
                return tally;
            }
        }
        while (true) {
            var newest = tallies;
            if (newest != null && newest.place == MAX_TALLIES - 1) {
                return null;
            }
            var fresh = new Tally(this, newest);
            if (TALLIES.compareAndSet(this, newest, fresh)) {
                return fresh;
            }
        }
    }

    /** Counts a message that was not handled. */
    public void lose(Kind kind, Cause cause) {
        add(kind, 1);
        causes[cause.ordinal()].increment();
    }

    /** Returns whether the next message that is not handled is one of the first, which are remembered. */
    public boolean isRemembering() {
        return firstLost.size() < REMEMBERED;
    }

    /**
     * Remembers a message that was counted, if it is one of the first.
     *
     * @param why a cause or a kind
     */
    public void remember(String actor, Object message, Enum<?> why) {
        var known = firstLost;
        while (known.size() < REMEMBERED) {
            var more = new ArrayList<Loss>(known);
            more.add(new Loss(actor, ContentClass.nameOf(message), why.name()));
            if (FIRST_LOST.compareAndSet(this, known, more)) {
                return;
            }
            known = firstLost;
        }
    }

    /** Returns, for the first messages that were not handled, which actor did not get which class of message, and why. */
    public List<String> firstLost() {
        var texts = new ArrayList<String>();
        for (var each : firstLost) {
            texts.add(each.toString());
        }
        return texts;
    }

    /** Returns how many messages were lost, by cause. */
    public Map<Cause, Long> lost() {
        var counts = new long[causes.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = causes[i].sum();
        }
        return byCause(counts);
    }

    public static Map<Cause, Long> byCause(long[] counts) {
        var lost = new EnumMap<Cause, Long>(Cause.class);
        for (var cause : CAUSES) {
            var n = counts[cause.ordinal()];
            if (n != 0) {
                lost.put(cause, n);
            }
        }
        return lost;
    }

    public Counters counters() {
        return new Counters(handled(), sum(Kind.FAILED), sum(Kind.EXPIRED), sum(Kind.DROPPED),
                sum(Kind.REFUSED), sum(Kind.UNDELIVERED));
    }

    private long handled() {
        var handled = sum(Kind.HANDLED);
        for (var tally = tallies; tally != null; tally = tally.next) {
            handled += tally.sum();
        }
        return handled;
    }

    private long sum(Kind kind) {
        return counts[kind.ordinal()].sum();
    }
}
