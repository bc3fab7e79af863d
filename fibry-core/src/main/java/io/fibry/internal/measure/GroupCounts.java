package io.fibry.internal.measure;

import io.fibry.event.Undelivered.Cause;
import io.fibry.internal.report.Fates;
import io.fibry.measure.MeasuredGroup;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What is counted of a group. */
final class GroupCounts implements MeasuredGroup {
    final Measuring measuring;
    private final String name;
    private final LongAdder[] lost = new LongAdder[Fates.CAUSES.length];
    private final LongAdder restarts = new LongAdder();
    private final LongAdder askTimeouts = new LongAdder();

    /** Written by a thread that has counted. If two count at a time, either is right. */
    private volatile long actors;
    /** Written by a thread that has counted, as {@link #actors}. */
    private volatile long depth;

    GroupCounts(Measuring measuring, String name) {
        this.measuring = measuring;
        this.name = name;
        for (int i = 0; i < lost.length; i++) {
            lost[i] = new LongAdder();
        }
    }

    @Override
    public String scope() {
        return measuring.name();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long lost(Cause cause) {
        return lost[Objects.requireNonNull(cause, "cause").ordinal()].sum();
    }

    @Override
    public long restarts() {
        return restarts.sum();
    }

    @Override
    public long askTimeouts() {
        return askTimeouts.sum();
    }

    @Override
    public long actors() {
        return actors;
    }

    @Override
    public long depth() {
        return depth;
    }

    void counted(long alive, long waiting) {
        actors = alive;
        depth = waiting;
    }

    void lose(Cause cause) {
        lost[cause.ordinal()].increment();
    }

    void restart() {
        restarts.increment();
    }

    void askTimeout() {
        askTimeouts.increment();
    }

    @Override
    public String toString() {
        return "MeasuredGroup[" + name + " of scope " + scope() + "]";
    }
}
