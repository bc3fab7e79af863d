package io.fibry.internal.net;

import io.fibry.ReceivingContext;
import io.fibry.internal.log.Logs;
import io.fibry.time.TimeSource;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * What an acceptor does after an error: it waits, longer each time, and says so once for a {@link Burst} of them.
 */
final class Pause {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final long FIRST_MILLIS = 5;
    private static final long LONGEST_MILLIS = 1_000;

    private final String server;
    private final Burst burst;
    private long millis = FIRST_MILLIS;

    Pause(String server, TimeSource time) {
        this.server = server;
        burst = new Burst(time);
    }

    /** Waits before the next attempt; the actor's stop ends the wait by an exception. */
    void after(String what, Throwable failure, ReceivingContext<Object> context) throws InterruptedException {
        log(burst.begins(), what, failure);
        var pause = Duration.ofMillis(millis);
        millis = Math.min(2 * millis, LONGEST_MILLIS);
        context.receive(message -> false, pause);
    }

    /** A logger that fails, for the same reason perhaps, must not end what it is to tell about. */
    private void log(boolean isNew, String what, Throwable failure) {
        try {
            if (isNew) {
                LOG.warn("{} cannot {}: {}; it tries again, after pauses of up to {} ms", server, what,
                        failure.toString(), LONGEST_MILLIS, failure);
            } else {
                LOG.debug("{} cannot {}: {}", server, what, failure.toString());
            }
        } catch (RuntimeException | Error noLog) {
            failure.addSuppressed(noLog);
            var thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        }
    }

    void reset() {
        millis = FIRST_MILLIS;
    }
}
