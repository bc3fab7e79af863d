package io.fibry.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The amounts to measure.
 *
 * @param size how long experiments take
 * @param count the number of actors, messages or sleepers, if the command line gives one
 * @param rounds how often each line is measured, if the command line says that
 * @param logs the folder for the output of child processes
 * @param deadline when to start nothing more, as {@link System#nanoTime}; empty if there is no deadline
 */
public record Settings(Size size, OptionalLong count, OptionalInt rounds, Path logs, OptionalLong deadline) {
    /** How long experiments take. */
    public enum Size {
        /** For figures to publish. */
        FULL,
        /** For a first look. */
        QUICK,
        /** For tests. The figures have no meaning. */
        SMOKE
    }

    /** Makes settings without a deadline. */
    Settings(Size size, OptionalLong count, Path logs) {
        this(size, count, OptionalInt.empty(), logs, OptionalLong.empty());
    }

    /** Returns the same settings with another number of rounds, if one is given. */
    Settings withRounds(OptionalInt newRounds) {
        return new Settings(size, count, newRounds, logs, deadline);
    }

    /** Returns the settings for an experiment that starts now. A quick one has a limited time. */
    Settings startingNow(Duration quickTime) {
        return size == Size.QUICK
                ? new Settings(size, count, rounds, logs,
                        OptionalLong.of(System.nanoTime() + quickTime.toNanos()))
                : this;
    }

    /** Returns the settings with a share of the time that is left. */
    Settings forOneOf(int many) {
        return startingNow(timeLeft().dividedBy(many));
    }

    /** Returns how much time is left, at most a day. */
    Duration timeLeft() {
        return deadline.isEmpty()
                ? Duration.ofDays(1)
                : Duration.ofNanos(Math.max(0, deadline.getAsLong() - System.nanoTime()));
    }

    /** Returns one of three values, by the size. */
    <T> T pick(T full, T quick, T smoke) {
        return switch (size) {
            case FULL -> full;
            case QUICK -> quick;
            case SMOKE -> smoke;
        };
    }

    /** Returns how often each line is measured: as the command line says, or three times in a full run, otherwise once. */
    int timesEach() {
        return rounds.orElse(pick(3, 1, 1));
    }

    /** Returns the number of the command line, or otherwise one by the size. */
    int count(int full, int quick, int smoke) {
        return (int) count.orElse(pick(full, quick, smoke));
    }
}
