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
 * sends. It is counted, and named in the log, with no more than a hundred lines in each period of a minute. Objects are thread-safe.
 */
public final class NotUnderstood {
    static final int LINES = 100;
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOGGER = LoggerFactory.getLogger(NotUnderstood.class);

    private final LongSupplier nanoTime;
    private final AtomicLong count = new AtomicLong();
    /** Guards the two numbers that limit the lines; a line is written after it has been released. */
    private final ReentrantLock lock = new ReentrantLock();
    private long periodBegun;
    private int lines;

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
        var line = countLine();
        if (line <= LINES) {
            LOGGER.warn(what);
        }
        if (line == LINES) {
            LOGGER.warn(
                    "More lines of this kind are left out for a minute; what comes is counted all the same");
        }
    }

    private int countLine() {
        lock.lock();
        try {
            var now = nanoTime.getAsLong();
            if (now - periodBegun >= PERIOD_NANOS) {
                periodBegun = now;
                lines = 0;
            }
            lines = Math.min(lines, LINES) + 1;
            return lines;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how many connections and messages were not understood.
     *
     * @return the number, since this object was made
     */
    public long count() {
        return count.get();
    }
}
