package io.fibry.internal.memory;

import java.util.function.LongSupplier;

/** The system's monotonic clock. The clock of the engine reads it, and the log, which the clock itself uses. */
public final class SystemNanos {
    /** The same clock, as an object. */
    public static final LongSupplier CLOCK = System::nanoTime;

    private SystemNanos() {
    }

    public static long now() {
        return System.nanoTime();
    }
}
