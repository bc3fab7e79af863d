package io.fibry.internal;

import io.fibry.Counters;
import io.fibry.event.Undelivered.Cause;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/** Counts for a whole scope what became of its messages. */
final class Fates {
    /** What can become of a message. */
    enum Kind {
        HANDLED, FAILED, EXPIRED, DROPPED, REFUSED, UNDELIVERED;

        static final int COUNT = values().length;
    }

    private static final Cause[] CAUSES = Cause.values();

    private final LongAdder[] counts = adders(Kind.COUNT);
    private final LongAdder[] causes = adders(CAUSES.length);

    private static LongAdder[] adders(int n) {
        var adders = new LongAdder[n];
        for (int i = 0; i < n; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    void add(Kind kind, long n) {
        counts[kind.ordinal()].add(n);
    }

    /** Counts one that was not handled. */
    void lose(Kind kind, Cause cause) {
        add(kind, 1);
        causes[cause.ordinal()].increment();
    }

    /** Why messages were lost, and how many of them. */
    Map<Cause, Long> lost() {
        return byCause(cause -> causes[cause.ordinal()].sum());
    }

    static Map<Cause, Long> byCause(ToLongFunction<Cause> count) {
        var lost = new EnumMap<Cause, Long>(Cause.class);
        for (var cause : CAUSES) {
            var n = count.applyAsLong(cause);
            if (n != 0) {
                lost.put(cause, n);
            }
        }
        return lost;
    }

    Counters counters() {
        return new Counters(sum(Kind.HANDLED), sum(Kind.FAILED), sum(Kind.EXPIRED), sum(Kind.DROPPED),
                sum(Kind.REFUSED), sum(Kind.UNDELIVERED));
    }

    private long sum(Kind kind) {
        return counts[kind.ordinal()].sum();
    }
}
