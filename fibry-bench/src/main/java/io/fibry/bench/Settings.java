package io.fibry.bench;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * How much to measure.
 *
 * @param size how long experiments take
 * @param count how many actors, messages or sleepers, where somebody asked for another number
 * @param logs the folder for what child processes print
 */
public record Settings(Size size, OptionalLong count, Path logs) {
    /** How long experiments take. */
    public enum Size {
        /** For figures to be shown. */
        FULL,
        /** For a first look. */
        QUICK,
        /** For tests: measures nothing that means anything. */
        SMOKE
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
