package io.fibry.internal.run;

import org.jspecify.annotations.Nullable;

/** Yields, which is enough where the scheduler of the virtual threads is fair, as that of the seeded schedules is. */
public enum YieldingHandoff implements Handoff, Handoff.Ticket {
    INSTANCE;

    @Override
    public Ticket pass(@Nullable Ticket before) {
        Thread.yield();
        return this;
    }

    @Override
    public void end() {
    }
}
