package io.fibry.internal;

import io.fibry.Counters;
import java.util.concurrent.atomic.LongAdder;

/** Counts for a whole scope what became of its messages. */
final class Fates {
    /**
     * What can become of a message. An actor also counts in {@link #NOT_HANDLED} the nodes that its turns
     * were done with and did not handle; what they handled is the rest.
     */
    enum Kind {
        HANDLED, FAILED, EXPIRED, DROPPED, REFUSED, UNDELIVERED, NOT_HANDLED;

        static final int COUNT = values().length;
    }

    private final LongAdder[] counts = new LongAdder[Kind.COUNT];

    Fates() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void add(Kind kind, long n) {
        counts[kind.ordinal()].add(n);
    }

    Counters counters() {
        return new Counters(sum(Kind.HANDLED), sum(Kind.FAILED), sum(Kind.EXPIRED), sum(Kind.DROPPED),
                sum(Kind.REFUSED), sum(Kind.UNDELIVERED));
    }

    private long sum(Kind kind) {
        return counts[kind.ordinal()].sum();
    }
}
