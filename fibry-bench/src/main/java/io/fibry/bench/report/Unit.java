package io.fibry.bench.report;

/**
 * What values are in.
 *
 * @param name as it is shown
 * @param better which values are the good ones
 */
public record Unit(String name, Better better) {
    /** Which values are the good ones. */
    public enum Better {
        /** Speeds. */
        HIGHER,
        /** Times and sizes. */
        LOWER
    }

    /**
     * Something of which more is better.
     *
     * @param name as it is shown
     * @return the unit
     */
    public static Unit higher(String name) {
        return new Unit(name, Better.HIGHER);
    }

    /**
     * Something of which less is better.
     *
     * @param name as it is shown
     * @return the unit
     */
    public static Unit lower(String name) {
        return new Unit(name, Better.LOWER);
    }

    /**
     * Which values are the good ones, in words.
     *
     * @return the words
     */
    public String hint() {
        return better == Better.HIGHER ? "higher is better" : "lower is better";
    }
}
