package io.fibry.internal.report;

import io.fibry.event.ActorEvent;
import io.fibry.event.CarriersStarved;
import io.fibry.event.Escalated;
import io.fibry.event.Expired;
import io.fibry.event.Failed;
import io.fibry.event.HighWater;
import io.fibry.event.Lagging;
import io.fibry.event.Restarted;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

    private final TimeSource time;
    private final AtomicLong windowStart;
    private final AtomicInteger lines = new AtomicInteger();
    private final AtomicLong omitted = new AtomicLong();

    public EventLog(TimeSource time) {
        this.time = time;
        this.windowStart = new AtomicLong(time.nanoTime());
    }

    void log(ActorEvent event) {
        if (!admit()) {
            return;
        }
        // No switch on the class, which would be linked when it first runs: see StackReserve.
        if (event instanceof Failed e) {
            LOGGER.warn("actor '{}' failed {}", e.actor(), where(e), e.cause());
        } else if (event instanceof Undelivered e) {
            LOGGER.warn("actor '{}' did not get a message of {}: {}", e.actor(),
                    ContentClass.nameOf(e.message()), e.cause());
        } else if (event instanceof Expired e) {
            LOGGER.warn("actor '{}' did not get to a message of {} within {}, so it has expired", e.actor(),
                    ContentClass.nameOf(e.message()), Durations.text(e.timeToLive().toNanos()));
        } else if (event instanceof HighWater e && e.capacity().isPresent()) {
            LOGGER.warn("actor '{}' has {} messages waiting, of {} that may", e.actor(),
                    e.depth(), e.capacity().getAsInt());
        } else if (event instanceof HighWater e) {
            LOGGER.warn(
                    "actor '{}' has about {} messages waiting{}, the first for at least {}, and the mailbox has no bound; it is{}",
                    e.actor(), e.depth(), classOf(", the last of ", e.message()),
                    Durations.text(e.headAge().orElse(Duration.ZERO).toNanos()), lines(e.stack()));
        } else if (event instanceof Escalated e) {
            LOGGER.warn("actor '{}' stops after {}{}", e.actor(), e.cause().getClass().getName(),
                    (e.parent().isPresent() ? ", and its parent '" + e.parent().get() + "' fails" : ""));
        } else if (event instanceof Restarted e) {
            LOGGER.info("actor '{}' was restarted ({} in all) after {}", e.actor(), e.restarts(),
                    e.cause().getClass().getName());
        } else if (event instanceof Stuck e) {
            LOGGER.warn("actor '{}' has worked{} for {}; it is{}", e.actor(),
                    classOf(" on a message of ", e.message()),
                    Durations.text(e.runningFor().toNanos()), lines(e.stack()));
        } else if (event instanceof Lagging e) {
            LOGGER.warn("actor '{}' has {} messages waiting, the first for {}", e.actor(),
                    e.depth(), Durations.text(e.headAge().toNanos()));
        } else if (event instanceof CarriersStarved e) {
            LOGGER.warn("no virtual thread could begin to run for {}; on virtual threads of scope '{}'{}",
                    Durations.text(e.waitedFor().toNanos()), e.scope(), working(e));
        } else if (event instanceof Started e) {
            LOGGER.debug("actor '{}' started", e.actor());
        } else if (event instanceof Stopped e) {
            LOGGER.debug("actor '{}' stopped: {}", e.actor(), e.reason());
        }
    }

    private static String where(Failed event) {
        return switch (event.part()) {
            case HANDLER ->
                "on a message of " + ClassName.of(event.message().orElseThrow()) + subject(event)
                        + sender(event);
            case BODY -> "in its body";
            case START -> "at its start";
            case IDLE -> "in the takenBy or whenWaiting code of a shared mailbox";
            case EXIT_HOOK -> "in an exit hook";
            case CLOSE -> "to close what it worked with";
            case EXECUTOR -> "to tell its strategy's executor of its end";
        };
    }

    private static String subject(Failed event) {
        return event.about().isPresent() ? " about '" + event.about().get() + "'" : "";
    }

    private static String sender(Failed event) {
        if (event.sentFrom().isEmpty()) {
            return "";
        }
        return ", sent "
                + (event.sentBy().isPresent() ? "by actor '" + event.sentBy().get() + "'"
                        : "from outside of actors")
                + lines(event.sentFrom()) + "\n\tfailed with";
    }

    private static String classOf(String introduction, Optional<Class<?>> message) {
        return message.isPresent() ? introduction + ClassName.of(message.get()) : "";
    }

    private static String working(CarriersStarved event) {
        if (event.working().isEmpty()) {
            return " no actor works";
        }
        var text = new StringBuilder();
        for (var one : event.working().entrySet()) {
            text.append(" actor '").append(one.getKey()).append("' is").append(lines(one.getValue()));
        }
        return text.toString();
    }

    private static String lines(List<StackTraceElement> stack) {
        if (stack.isEmpty()) {
            return " where nobody knows";
        }
        var text = new StringBuilder();
        for (var frame : stack) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
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

    static void carrierDoesNotTravel(String carrier) {
        LOGGER.warn("what the context carrier {} carries does not cross to other nodes: let it implement "
                + "TravellingCarrier, or make the value a part of the message; this is logged once", carrier);
    }

    /** Counts an event as left out, if there are enough lines in this second. */
    boolean leavesOut() {
        if (lines.get() < BURST || time.nanoTime() - windowStart.get() >= WINDOW_NANOS) {
            return false;
        }
        omitted.incrementAndGet();
        return true;
    }

    private boolean admit() {
        var now = time.nanoTime();
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
