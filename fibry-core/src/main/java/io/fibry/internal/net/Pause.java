package io.fibry.internal.net;

import io.fibry.ReceivingContext;
import io.fibry.internal.log.LastResort;
import io.fibry.internal.log.Logs;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The pauses of an acceptor after errors. Each pause is longer than the one before it, and one line is logged for
 * each burst of errors, between which less than ten seconds lie.
 */
final class Pause {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final long FIRST_MILLIS = 5;
    private static final long LONGEST_MILLIS = 1_000;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String server;
    private final TimeSource time;
    /** When the last error came; not thread-safe, as the acceptor alone uses it. */
    private @Nullable Long last;
    private long millis = FIRST_MILLIS;

    Pause(String server, TimeSource time) {
        this.server = server;
        this.time = time;
    }

    /** Waits before the next attempt. The stop of the actor ends the wait by an exception. */
    void after(String what, Throwable failure, ReceivingContext<Object> context) throws InterruptedException {
        log(begins(), what, failure);
        var pause = Duration.ofMillis(millis);
        millis = Math.min(2 * millis, LONGEST_MILLIS);
        context.receive(message -> false, pause);
    }

    /** Records an error; returns true if it is the first of a burst. */
    private boolean begins() {
        var now = time.nanoTime();
        var before = last;
        last = now;
        return before == null || now - before > QUIET_NANOS;
    }

    /** Logs a failure. A logger that fails, perhaps for the same reason, must not end the acceptor. */
    private void log(boolean isNew, String what, Throwable failure) {
        try {
            if (isNew) {
                LOG.warn("{} cannot {}: {}; it tries again, after pauses of up to {} ms", server, what,
                        failure.toString(), LONGEST_MILLIS, failure);
            } else {
                LOG.debug("{} cannot {}: {}", server, what, failure.toString());
            }
        } catch (RuntimeException | Error noLog) {
            LastResort.report(failure, noLog);
        }
    }

    void reset() {
        millis = FIRST_MILLIS;
    }
}
