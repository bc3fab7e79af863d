package io.fibry.topic;

import io.fibry.Counters;
import java.util.concurrent.atomic.LongAdder;

/** Counts what becomes of messages beside the counters of an actor, for one subscriber and for all of them together. */
final class DeliveryTally {
    private final LongAdder handled = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder undelivered = new LongAdder();

    void handled(long count) {
        handled.add(count);
    }

    void failed(long count) {
        failed.add(count);
    }

    void dropped(long count) {
        dropped.add(count);
    }

    void refused(long count) {
        refused.add(count);
    }

    void undelivered(long count) {
        undelivered.add(count);
    }

    void add(Counters counters) {
        handled.add(counters.handled());
        failed.add(counters.failed());
        dropped.add(counters.dropped());
        refused.add(counters.refused());
        undelivered.add(counters.expired() + counters.undelivered());
    }

    Counters counters() {
        return new Counters(handled.sum(), failed.sum(), 0, dropped.sum(), refused.sum(), undelivered.sum());
    }

    static Counters difference(Counters later, Counters earlier) {
        return new Counters(later.handled() - earlier.handled(), later.failed() - earlier.failed(),
                later.expired() - earlier.expired(), later.dropped() - earlier.dropped(),
                later.refused() - earlier.refused(), later.undelivered() - earlier.undelivered());
    }

    static Counters sum(Counters first, Counters second) {
        return new Counters(first.handled() + second.handled(), first.failed() + second.failed(),
                first.expired() + second.expired(), first.dropped() + second.dropped(),
                first.refused() + second.refused(), first.undelivered() + second.undelivered());
    }
}
