package io.fibry.work;

import java.time.Duration;
import java.util.Objects;

/** Which calls a {@link CircuitBreaker} measures. */
public sealed interface BreakerWindow {
    /**
     * Returns a window of the last calls.
     *
     * @param calls how many, at least one
     * @return the window
     */
    static BreakerWindow lastCalls(int calls) {
        return new Calls(calls);
    }

    /**
     * Returns a window of the calls that have ended within a time. It moves by tenths of this time.
     *
     * @param time how long, at least ten nanoseconds
     * @return the window
     */
    static BreakerWindow lastTime(Duration time) {
        return new Time(time);
    }

    /**
     * The last calls.
     *
     * @param calls how many
     */
    record Calls(int calls) implements BreakerWindow {
        /**
         * Checks the number.
         *
         * @param calls at least one
         */
        public Calls {
            if (calls < 1) {
                throw new IllegalArgumentException("calls must be at least 1: " + calls);
            }
        }
    }

    /**
     * The calls that have ended within a time.
     *
     * @param time how long
     */
    record Time(Duration time) implements BreakerWindow {
        /**
         * Checks the time.
         *
         * @param time at least ten nanoseconds
         */
        public Time {
            if (Objects.requireNonNull(time, "time").compareTo(Duration.ofNanos(10)) < 0) {
                throw new IllegalArgumentException("time must be at least ten nanoseconds: " + time);
            }
        }
    }
}
