package io.fibry.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * How much to measure.
 *
 * @param size how long experiments take
 * @param count how many actors, messages or sleepers, where somebody asked for another number
 * @param logs the folder for what child processes print
 * @param deadline when to start nothing more, as {@link System#nanoTime}; empty: when all is done
 */
public record Settings(Size size, OptionalLong count, Path logs, OptionalLong deadline) {
    /** How long experiments take. */
    public enum Size {
        /** For figures to be shown. */
        FULL,
        /** For a first look. */
        QUICK,
        /** For tests: measures nothing that means anything. */
        SMOKE
    }

    /** Without a deadline. */
    Settings(Size size, OptionalLong count, Path logs) {
        this(size, count, logs, OptionalLong.empty());
    }

    /** For an experiment that starts now: quick ones have only so much time. */
    Settings startingNow(Duration quickTime) {
        return size == Size.QUICK
                ? new Settings(size, count, logs, OptionalLong.of(System.nanoTime() + quickTime.toNanos()))
                : this;
    }

    /** With its share of the time that is left. */
    Settings forOneOf(int many) {
        return startingNow(timeLeft().dividedBy(many));
    }

    /** How much time is left; at most a day. */
    Duration timeLeft() {
        return deadline.isEmpty()
                ? Duration.ofDays(1)
                : Duration.ofNanos(Math.max(0, deadline.getAsLong() - System.nanoTime()));
    }

    /** One of three values, by the size. */
    <T> T pick(T full, T quick, T smoke) {
        return switch (size) {
            case FULL -> full;
            case QUICK -> quick;
            case SMOKE -> smoke;
        };
    }

    /** The number asked for, or else one by the size. */
    int count(int full, int quick, int smoke) {
        return (int) count.orElse(pick(full, quick, smoke));
    }
}
