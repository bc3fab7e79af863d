package io.fibry.cluster.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has come to a node and was not understood: connections of processes that are no nodes, and messages that no node of this version
 * sends. It is counted, and named in the log, with no more than a hundred lines a minute, however much comes. Objects are thread-safe.
 */
public final class NotUnderstood {
    static final int LINES = 100;
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOGGER = LoggerFactory.getLogger(NotUnderstood.class);

    private final LongSupplier nanoTime;
    private final AtomicLong count = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private long periodBegun;
    private int lines;
    private long leftOut;

    /** Makes an object that has counted nothing. */
    public NotUnderstood() {
        this(System::nanoTime);
    }

    NotUnderstood(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        periodBegun = nanoTime.getAsLong();
    }

    /**
     * Counts something, and names it in the log.
     *
     * @param what from whom it has come, what is wrong with it, and what has become of it
     */
    public void add(String what) {
        Objects.requireNonNull(what, "what");
        count.incrementAndGet();
        boolean isWritten;
        long before;
        lock.lock();
        try {
            before = beginPeriod();
            isWritten = lines < LINES;
            if (isWritten) {
                lines++;
            } else {
                leftOut++;
            }
        } finally {
            lock.unlock();
        }
        if (before > 0) {
            LOGGER.warn("{} more lines like the next one were left out", before);
        }
        if (isWritten) {
            LOGGER.warn(what);
        }
    }

    /** Returns how many lines the period left out that has ended; zero if none has. */
    private long beginPeriod() {
        var now = nanoTime.getAsLong();
        if (now - periodBegun < PERIOD_NANOS) {
            return 0;
        }
        var before = leftOut;
        periodBegun = now;
        lines = 0;
        leftOut = 0;
        return before;
    }

    /**
     * Returns how often something was not understood.
     *
     * @return how often, since this object was made
     */
    public long count() {
        return count.get();
    }
}
