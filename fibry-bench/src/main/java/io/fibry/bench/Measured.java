package io.fibry.bench;

import io.fibry.bench.report.Samples;
import java.util.Optional;

/** Something that can be measured again and again. */
@FunctionalInterface
interface Measured {
    /**
     * Measures once, and checks that everything was done.
     *
     * @param settings the amounts to measure
     * @param samples collects the values: one or more
     */
    void measure(Settings settings, Samples samples) throws Exception;

    /** Returns what a reader of the figures has to know, for example a version. */
    default Optional<String> about() {
        return Optional.empty();
    }

    /** Returns why it cannot be measured here, and what to do about this; empty if it can. */
    default Optional<String> missing() {
        return Optional.empty();
    }
}
