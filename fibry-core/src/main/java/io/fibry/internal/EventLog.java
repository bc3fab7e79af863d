package io.fibry.internal;

import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import io.fibry.event.HighWater;
import io.fibry.event.PoolThreadBlocked;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs those events of a scope that no listener takes: at most {@value #BURST} lines a second, and how many were left out in
 * the first line after that. A flood of lost messages must not become a flood of log lines.
 */
final class EventLog {
    static final int BURST = 20;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOGGER = LoggerFactory.getLogger("io.fibry");

    private final LongSupplier clock;
    private final AtomicLong windowStart;
    private final AtomicInteger lines = new AtomicInteger();
    private final AtomicLong leftOut = new AtomicLong();

    EventLog(LongSupplier clock) {
        this.clock = clock;
        this.windowStart = new AtomicLong(clock.getAsLong());
    }

    void log(ActorEvent event) {
        if (!admit()) {
            return;
        }
        switch (event) {
            case Failed e -> LOGGER.warn("actor '{}' failed {}", e.actor(),
                    e.message().map(c -> "on a message of " + c.getName())
                            .orElse("in its body or an exit hook"),
                    e.cause());
            case Undelivered e -> LOGGER.warn("actor '{}' did not get a message of {}: {}", e.actor(),
                    e.message().getClass().getName(), e.cause());
            case HighWater e -> LOGGER.warn("actor '{}' has {} messages waiting, of {} that may", e.actor(),
                    e.depth(), e.capacity());
            case PoolThreadBlocked e -> LOGGER.warn(
                    "actor '{}' blocks a thread of its pool until there is room in the mailbox of '{}'; "
                            + "use another strategy for it, or another overflow policy",
                    e.actor(), e.target());
            case Started e -> LOGGER.debug("actor '{}' started", e.actor());
            case Stopped e -> LOGGER.debug("actor '{}' stopped: {}", e.actor(), e.reason());
        }
    }

    void listenerFailed(ActorEvent event, Throwable failure) {
        if (admit()) {
            LOGGER.error("a listener failed on {}", event, failure);
        }
    }

    void engineFailed(String actor, Throwable failure) {
        if (admit()) {
            LOGGER.error("actor '{}': the outcome of a message could not be reported", actor, failure);
        }
    }

    private boolean admit() {
        var now = clock.getAsLong();
        var start = windowStart.get();
        if (now - start >= WINDOW_NANOS && windowStart.compareAndSet(start, now)) {
            lines.set(0);
            var silent = leftOut.getAndSet(0);
            if (silent > 0) {
                LOGGER.warn("{} more events were not logged, to keep the log short", silent);
            }
        }
        if (lines.incrementAndGet() <= BURST) {
            return true;
        }
        leftOut.incrementAndGet();
        return false;
    }
}
