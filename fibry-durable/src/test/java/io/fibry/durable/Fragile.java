package io.fibry.durable;

import java.util.concurrent.atomic.AtomicBoolean;

/** A message that cannot be made while {@link #BREAKS}. */
public record Fragile(String to) {
    static final AtomicBoolean BREAKS = new AtomicBoolean();

    /** Fails with an error, as where a library is missing. */
    public Fragile {
        if (BREAKS.get()) {
            throw new StackOverflowError("on purpose");
        }
    }
}
