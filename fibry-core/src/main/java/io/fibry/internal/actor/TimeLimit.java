package io.fibry.internal.actor;

import io.fibry.AskTimeoutException;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The time limit of a handler: that of the ask on which it works. Meanwhile the {@link ExtendedState} of its actor has it. */
public interface TimeLimit {
    /** Returns the clock by which the time is measured. */
    TimeSource time();

    /** Returns how much of the time is left, zero if nothing is. */
    long nanosLeft();

    /** Returns the failure of a wait for an answer that has lasted until this time was over. */
    AskTimeoutException isOverBefore(Answer<?> other);

    /** Returns the limit that holds when this one counts again, together with one that the code has set meanwhile. */
    @Nullable TimeLimit restored(@Nullable TimeLimit added);

    /**
     * Knows whether there has ever been an ask with a time limit: none is looked up before. That is noted before such
     * an ask is sent, so the handler of that ask, and those to which it sends, see it.
     */
    final class Use {
        private static boolean begun;

        private Use() {
        }

        /** Notes that there is an ask with a time limit. */
        public static void begin() {
            if (!begun) {
                begun = true;
            }
        }
    }

    /** Returns the limit of the handler on this thread; null if it has none. */
    static @Nullable TimeLimit current() {
        if (!Use.begun) {
            return null;
        }
        var turn = Current.turn();
        return turn == null ? null : turn.deadline();
    }

    /** Returns how much time is left for the handler on this thread; empty if it has no limit. */
    static Optional<Duration> timeLeft() {
        var limit = current();
        return limit == null ? Optional.empty() : Optional.of(Duration.ofNanos(limit.nanosLeft()));
    }
}
