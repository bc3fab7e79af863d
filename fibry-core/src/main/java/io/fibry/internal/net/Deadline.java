package io.fibry.internal.net;

import io.fibry.internal.clock.Durations;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The time limits of a connection: how long it may be open, and how long nothing may move. One timer serves both. It
 * is set again when it fires too early, and not each time a byte moves.
 */
final class Deadline implements Runnable, Cancellable {
    private static final Cancellable NONE = () -> false;

    private final TimeSource time;
    private final Optional<Duration> total;
    private final Optional<Duration> idle;
    private final LongSupplier movedAt;
    private final Consumer<String> cut;
    private final long openedAt;
    /** Written by the thread that sets the next timer, which then reads {@link #closed}; so one thread cancels it. */
    private volatile Cancellable timer = NONE;
    /** Set by threads that cancel, before they read {@link #timer}. */
    private volatile boolean closed;

    private Deadline(TimeSource time, Optional<Duration> total, Optional<Duration> idle, LongSupplier movedAt,
            Consumer<String> cut) {
        this.time = time;
        this.total = total;
        this.idle = idle;
        this.movedAt = movedAt;
        this.cut = cut;
        openedAt = time.nanoTime();
    }

    /**
     * Starts the timer if there is a limit.
     *
     * @param total how long the connection may be open
     * @param idle how long nothing may move
     * @param movedAt returns when a byte last moved, by the clock
     * @param cut gets the reason; it must not block
     */
    static Cancellable start(TimeSource time, Optional<Duration> total, Optional<Duration> idle,
            LongSupplier movedAt, Consumer<String> cut) {
        if (total.isEmpty() && idle.isEmpty()) {
            return NONE;
        }
        var deadline = new Deadline(time, total, idle, movedAt, cut);
        deadline.run();
        return deadline;
    }

    @Override
    public void run() {
        var now = time.nanoTime();
        var totalLeft = left(total, openedAt, now);
        var idleLeft = left(idle, movedAt.getAsLong(), now);
        if (totalLeft <= 0) {
            cut.accept("it was open for " + total.orElseThrow() + ", its totalTimeout");
        } else if (idleLeft <= 0) {
            cut.accept("nothing moved for " + idle.orElseThrow() + ", its idleTimeout");
        } else if (!closed) {
            timer = time.schedule(Math.min(totalLeft, idleLeft), this);
            if (closed) {
                timer.cancel();
            }
        }
    }

    private static long left(Optional<Duration> limit, long since, long now) {
        return limit.map(d -> Durations.nanos(d, "limit") - (now - since)).orElse(Long.MAX_VALUE);
    }

    @Override
    public boolean cancel() {
        closed = true;
        return timer.cancel();
    }
}
