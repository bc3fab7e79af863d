package io.fibry.dump;

import java.time.Duration;
import java.util.Objects;

/**
 * How a dump is taken. Objects of this class are immutable: each method returns another one.
 *
 * @param actors how many actors of each scope are shown one by one, not negative; the others are added up. Those with
 *     most to do come first
 * @param frames how many frames of a stack are shown, not negative; with zero, no stack is read
 * @param over the time between two looks; zero for one look
 */
public record DumpOptions(int actors, int frames, Duration over) {
    private static final DumpOptions DEFAULTS = new DumpOptions(100, 24, Duration.ZERO);

    /**
     * Checks the options.
     *
     * @param actors how many actors of each scope are shown one by one
     * @param frames how many frames of a stack are shown
     * @param over the time between two looks
     */
    public DumpOptions {
        if (actors < 0) {
            throw new IllegalArgumentException("actors must not be negative: " + actors);
        }
        if (frames < 0) {
            throw new IllegalArgumentException("frames must not be negative: " + frames);
        }
        if (Objects.requireNonNull(over, "over").isNegative()) {
            throw new IllegalArgumentException("over must not be negative: " + over);
        }
    }

    /**
     * Returns the default: 100 actors of each scope, with 24 frames each, by one look.
     *
     * @return the default
     */
    public static DumpOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same options with another number of actors.
     *
     * @param most how many actors of each scope are shown one by one, not negative
     * @return the new options
     */
    public DumpOptions withActors(int most) {
        return new DumpOptions(most, frames, over);
    }

    /**
     * Returns the same options with another length of stacks.
     *
     * @param most how many frames of a stack are shown, not negative
     * @return the new options
     */
    public DumpOptions withFrames(int most) {
        return new DumpOptions(actors, most, over);
    }

    /**
     * Returns the same options with two looks. The dump then shows for how long each actor has worked on the same message at
     * least, and for how long the first message in a mailbox has waited.
     *
     * @param time the time between the two looks, by the clock of the system; zero for one look
     * @return the new options
     */
    public DumpOptions over(Duration time) {
        return new DumpOptions(actors, frames, time);
    }
}
