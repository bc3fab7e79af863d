package io.fibry.bench.report;

/**
 * The unit of values.
 *
 * @param name as it is shown
 * @param better which values are better
 */
public record Unit(String name, Better better) {
    /** Which values are better. */
    public enum Better {
        /** Greater values, as for speeds. */
        HIGHER,
        /** Smaller values, as for times and sizes. */
        LOWER
    }

    /**
     * Returns a unit of which greater values are better.
     *
     * @param name as it is shown
     * @return the unit
     */
    public static Unit higher(String name) {
        return new Unit(name, Better.HIGHER);
    }

    /**
     * Returns a unit of which smaller values are better.
     *
     * @param name as it is shown
     * @return the unit
     */
    public static Unit lower(String name) {
        return new Unit(name, Better.LOWER);
    }

    /**
     * Returns in words which values are better.
     *
     * @return the words
     */
    public String hint() {
        return better == Better.HIGHER ? "higher is better" : "lower is better";
    }
}
