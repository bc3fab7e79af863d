package io.fibry.keyed;

import java.time.Duration;
import java.util.Objects;

/**
 * The options of keyed actors: how long they stay, how many there may be, and whether nodes of a cluster may share them.
 *
 * @param idle for how long an actor may have no message before it stops
 * @param most how many actors there may be at the same time; an actor counts until it has ended and its state is closed
 * @param whenFull what happens to a message that needs one more actor
 * @param movable whether the actor of a key may end on one node and begin again on another; if not, a cluster refuses to share
 *        these actors
 */
public record KeyedOptions(Duration idle, int most, WhenFull whenFull, boolean movable) {
    /** The treatment of a message that needs a new actor when there are as many actors as allowed. */
    public enum WhenFull {
        /** The message is refused. */
        REFUSE,
        /**
         * An actor that has nothing to do is stopped before its time. If none is found soon, the message is refused. The new actor
         * begins when the other one has ended and its state is closed; the sender does not wait for that.
         */
        STOP_IDLE
    }

    /**
     * Checks the numbers.
     *
     * @param idle more than zero
     * @param most at least one
     * @param whenFull not null
     * @param movable any value
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
     * Returns options for any number of actors, each of which stops when it has had no message for the given time.
     *
     * @param time the time, more than zero
     * @return the options
     */
    public static KeyedOptions idle(Duration time) {
        return new KeyedOptions(time, Integer.MAX_VALUE, WhenFull.REFUSE, true);
    }

    /**
     * Returns the same options with a limit of actors.
     *
     * @param actors how many actors there may be at the same time
     * @param whenFull what happens to a message that needs one more actor
     * @return the new options
     */
    public KeyedOptions atMost(int actors, WhenFull whenFull) {
        return new KeyedOptions(idle, actors, whenFull, movable);
    }

    /**
     * Returns the same options for actors that must stay on this node, since they use something that other nodes do not have.
     *
     * @return the new options
     */
    public KeyedOptions immovable() {
        return new KeyedOptions(idle, most, whenFull, false);
    }
}
