package io.fibry.internal.context;

import io.fibry.internal.clock.Sampling;
import io.fibry.time.TimeSource;

/**
 * Remembers when one of so many messages of a scope was sent. It is a part of the {@link Carriers} of the scope. If there is no
 * other part, all messages but those of the sample are as in a scope without carriers.
 */
public final class SendTimes {
    private final Sampling sampling;
    private final TimeSource time;

    public SendTimes(int oneOf, TimeSource time) {
        sampling = new Sampling(oneOf);
        this.time = time;
    }

    /** Returns whether the next message of the calling thread is not timed, and counts it only then. */
    boolean passesNext() {
        return sampling.passesNext();
    }

    /** Takes back that a message of the calling thread was counted as one that is not timed. */
    void takeBackPassed() {
        sampling.takeBackPassed();
    }

    /** Returns whether the next message of the calling thread is timed, and counts it. */
    boolean takesNext() {
        return sampling.takesNext();
    }

    long now() {
        return time.nanoTime();
    }
}
