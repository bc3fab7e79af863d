package io.fibry.internal.actor;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time limit of the handler on the calling thread: the limit of the ask that it works on, if it has one.
 * The {@link ExtendedState} of the actor holds that ask while the handler runs.
 */
public final class Deadlines {
    /**
     * Whether there has ever been an ask with a time limit: none is looked up before. It is set before such
     * an ask is sent, so the handler of that ask, and those to which it sends, see it.
     */
    private static boolean inUse;

    private Deadlines() {
    }

    static void enable() {
        if (!inUse) {
            inUse = true;
        }
    }

    /** Returns the ask with a time limit that the handler on this thread works on; null if there is none. */
    static @Nullable TimedAnswer<?> current() {
        if (!inUse) {
            return null;
        }
        var turn = Current.turn();
        return turn == null ? null : turn.deadline();
    }

    /** Returns how much time is left for the handler on this thread; empty if it has no limit. */
    public static Optional<Duration> timeLeft() {
        var ask = current();
        return ask == null ? Optional.empty() : Optional.of(Duration.ofNanos(ask.nanosLeft()));
    }
}
