package io.fibry.internal.memory;

/** The system's monotonic clock. The clock of the engine reads it, and the log, which the clock itself uses. */
public final class SystemNanos {
    private SystemNanos() {
    }

    public static long now() {
        return System.nanoTime();
    }
}
