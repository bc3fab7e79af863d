package io.fibry.internal.report;

import io.fibry.event.ActorEvent;
import io.fibry.event.CarriersStarved;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Growing;
import io.fibry.event.HighWater;
import io.fibry.event.Lagging;
import io.fibry.event.PoolThreadBlocked;
import io.fibry.event.Restarted;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs the events of a scope that no listener receives: at most {@value #BURST} lines a second. The first line after
 * that second tells how many were omitted. A flood of lost messages must not become a flood of log lines.
 */
public final class EventLog {
    static final int BURST = 20;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOGGER = Logs.of("io.fibry");

    private final LongSupplier clock;
    private final AtomicLong windowStart;
    private final AtomicInteger lines = new AtomicInteger();
    private final AtomicLong omitted = new AtomicLong();

    public EventLog(LongSupplier clock) {
        this.clock = clock;
        this.windowStart = new AtomicLong(clock.getAsLong());
    }

    void log(ActorEvent event) {
        if (!admit()) {
            return;
        }
        switch (event) {
            case Failed e -> LOGGER.warn("actor '{}' failed {}", e.actor(), where(e), e.cause());
            case Undelivered e -> LOGGER.warn("actor '{}' did not get a message of {}: {}", e.actor(),
                    e.message().getClass().getName(), e.cause());
            case HighWater e -> LOGGER.warn("actor '{}' has {} messages waiting, of {} that may", e.actor(),
                    e.depth(), e.capacity());
            case Growing e -> LOGGER.warn(
                    "actor '{}' has about {} messages waiting{}, the first for at least {}, and the mailbox has no bound; it is{}",
                    e.actor(), e.depth(), e.message().map(c -> ", the last of " + c.getName()).orElse(""),
                    Durations.text(e.headAge().toNanos()), lines(e.stack()));
            case PoolThreadBlocked e -> LOGGER.warn(
                    "actor '{}' blocks a thread of its pool until there is room in the mailbox of '{}'; "
                            + "use another strategy for it, or another overflow policy",
                    e.actor(), e.target());
            case Escalated e ->
                LOGGER.warn("actor '{}' stops after {}{}", e.actor(), e.cause().getClass().getName(),
                        e.parent().map(p -> ", and its parent '" + p + "' fails").orElse(""));
            case Restarted e ->
                LOGGER.info("actor '{}' was restarted for the {}. time after {}", e.actor(), e.restarts(),
                        e.cause().getClass().getName());
            case Stuck e -> LOGGER.warn("actor '{}' has worked{} for {}; it is{}", e.actor(),
                    e.message().map(c -> " on a message of " + c.getName()).orElse(""),
                    Durations.text(e.runningFor().toNanos()), lines(e.stack()));
            case Lagging e -> LOGGER.warn("actor '{}' has {} messages waiting, the first for {}", e.actor(),
                    e.depth(), Durations.text(e.headAge().toNanos()));
            case CarriersStarved e ->
                LOGGER.warn("no virtual thread could begin to run for {}; on virtual threads of scope '{}'{}",
                        Durations.text(e.waitedFor().toNanos()), e.scope(), working(e));
            case Started e -> LOGGER.debug("actor '{}' started", e.actor());
            case Stopped e -> LOGGER.debug("actor '{}' stopped: {}", e.actor(), e.reason());
        }
    }

    private static String where(Failed event) {
        return switch (event.part()) {
            case HANDLER -> "on a message of " + event.message().map(Class::getName).orElseThrow();
            case BODY -> "in its body";
            case START -> "at its start";
            case EXIT_HOOK -> "in an exit hook";
            case CLOSE -> "to close what it worked with";
            case EXECUTOR -> "to tell its strategy's executor of its end";
        };
    }

    private static String working(CarriersStarved event) {
        return event.working().isEmpty()
                ? " no actor works"
                : event.working().entrySet().stream()
                        .map(one -> " actor '" + one.getKey() + "' is" + lines(one.getValue()))
                        .collect(Collectors.joining());
    }

    private static String lines(List<StackTraceElement> stack) {
        return stack.isEmpty()
                ? " where nobody knows"
                : stack.stream().map(frame -> "\n\tat " + frame).collect(Collectors.joining());
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

    static void carrierFailed(String carrier, String what, @Nullable String actor, Throwable failure) {
        LOGGER.error("context carrier {} failed to {} {}: messages are handled without that context; "
                + "this is logged once", carrier, what,
                actor == null ? "outside of actors" : "in actor '" + actor + "'",
                failure);
    }

    private boolean admit() {
        var now = clock.getAsLong();
        var start = windowStart.get();
        if (now - start >= WINDOW_NANOS && windowStart.compareAndSet(start, now)) {
            lines.set(0);
            var count = omitted.getAndSet(0);
            if (count > 0) {
                LOGGER.warn("{} more events were not logged, to keep the log short", count);
            }
        }
        if (lines.incrementAndGet() <= BURST) {
            return true;
        }
        omitted.incrementAndGet();
        return false;
    }
}
