package io.fibry.internal.net;

import io.fibry.net.TcpOptions;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * When a connection is to be closed because it is open for too long, or because nothing moves. One timer does both; it
 * is set again when it fires too early, not each time a byte moves.
 */
final class Deadline implements Runnable, Cancellable {
    private static final Cancellable NONE = () -> false;

    private final TimeSource time;
    private final TcpOptions options;
    private final Socket socket;
    private final Consumer<String> cut;
    private final long openedAt;
    private volatile Cancellable timer = NONE;
    private volatile boolean closed;

    private Deadline(TimeSource time, TcpOptions options, Socket socket, Consumer<String> cut) {
        this.time = time;
        this.options = options;
        this.socket = socket;
        this.cut = cut;
        openedAt = time.nanoTime();
    }

    /**
     * Starts the timer, if there is a limit at all.
     *
     * @param cut is told the reason; it must not block
     */
    static Cancellable start(TimeSource time, TcpOptions options, Socket socket, Consumer<String> cut) {
        if (options.totalTimeout().isEmpty() && options.idleTimeout().isEmpty()) {
            return NONE;
        }
        var deadline = new Deadline(time, options, socket, cut);
        deadline.run();
        return deadline;
    }

    @Override
    public void run() {
        var now = time.nanoTime();
        var total = left(options.totalTimeout(), openedAt, now);
        var idle = socket instanceof ServedSocket served
                ? left(options.idleTimeout(), served.movedAt(), now)
                : Long.MAX_VALUE;
        if (total <= 0) {
            cut.accept("it was open for " + options.totalTimeout().orElseThrow() + ", its totalTimeout");
        } else if (idle <= 0) {
            cut.accept("nothing moved for " + options.idleTimeout().orElseThrow() + ", its idleTimeout");
        } else if (!closed) {
            timer = time.schedule(Math.min(total, idle), this);
            if (closed) {
                timer.cancel();
            }
        }
    }

    private static long left(Optional<Duration> limit, long since, long now) {
        return limit.map(d -> nanos(d) - (now - since)).orElse(Long.MAX_VALUE);
    }

    /** Nearly three centuries are for ever. */
    static long nanos(Duration limit) {
        return limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : limit.toNanos();
    }

    @Override
    public boolean cancel() {
        closed = true;
        return timer.cancel();
    }
}
