package io.fibry.internal.net;

import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Detects the beginning of a burst of events. Two events belong to one burst if less than ten seconds lie between
 * them. Not thread-safe.
 */
final class Burst {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TimeSource time;
    private @Nullable Long last;

    Burst(TimeSource time) {
        this.time = time;
    }

    /** Records an event; returns true if it is the first of a burst. */
    boolean begins() {
        var now = time.nanoTime();
        var before = last;
        last = now;
        return before == null || now - before > QUIET_NANOS;
    }
}
