package io.fibry.keyed;

import java.time.Duration;
import java.util.Objects;

/**
 * How long the actors of keys stay, and how many there may be.
 *
 * @param idle after how long without a message an actor stops
 * @param most how many there may be at the same time
 * @param whenFull what happens to a message for one more
 */
public record KeyedOptions(Duration idle, int most, WhenFull whenFull) {
    /** What happens when a message needs an actor and there are as many as there may be. */
    public enum WhenFull {
        /** The message is refused. */
        REFUSE,
        /** One that has nothing to do is stopped before its time; if none is found soon, the message is refused. */
        STOP_IDLE
    }

    /**
     * Checks the numbers.
     *
     * @param idle more than zero
     * @param most at least one
     * @param whenFull not null
     */
    public KeyedOptions {
        Objects.requireNonNull(whenFull, "whenFull");
        if (Objects.requireNonNull(idle, "idle").isNegative() || idle.isZero()) {
            throw new IllegalArgumentException("idle must be more than zero: " + idle);
        }
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1: " + most);
        }
    }

    /**
     * Any number of actors, each of which stops when it has had no message for that long.
     *
     * @param time the time, more than zero
     * @return the options
     */
    public static KeyedOptions idle(Duration time) {
        return new KeyedOptions(time, Integer.MAX_VALUE, WhenFull.REFUSE);
    }

    /**
     * The same with a bound.
     *
     * @param actors how many actors there may be at the same time
     * @param whenFull what happens to a message for one more
     * @return the options
     */
    public KeyedOptions atMost(int actors, WhenFull whenFull) {
        return new KeyedOptions(idle, actors, whenFull);
    }
}
