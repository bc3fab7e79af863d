package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Finds out whether code that is to run one at a time does. */
public final class Probe {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final LongAdder visits = new LongAdder();

    public void visit() {
        enter();
        Thread.yield();
        leave();
    }

    public void enter() {
        if (inside.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
        visits.increment();
    }

    public void leave() {
        inside.decrementAndGet();
    }

    public long visits() {
        return visits.sum();
    }

    public void assertNeverTwoInside() {
        assertThat(overlaps).as("times that two were inside").hasValue(0);
        assertThat(inside).as("still inside").hasValue(0);
    }
}
