package io.fibry.internal.net;

import io.fibry.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Says of something that happens again and again when it has begun: two of them are of one burst if less than ten seconds
 * lie between them. Not thread-safe.
 */
final class Burst {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TimeSource time;
    private @Nullable Long last;

    Burst(TimeSource time) {
        this.time = time;
    }

    /** It has happened; true if that is the first of a burst. */
    boolean begins() {
        var now = time.nanoTime();
        var before = last;
        last = now;
        return before == null || now - before > QUIET_NANOS;
    }
}
