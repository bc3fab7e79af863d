package io.fibry.bench;

import io.fibry.bench.report.Samples;
import java.util.Optional;

/** Something that can be measured again and again. */
@FunctionalInterface
interface Measured {
    /**
     * Measures once, and checks what was done.
     *
     * @param settings how much
     * @param samples where the values go: one or more
     */
    void measure(Settings settings, Samples samples) throws Exception;

    /** What a reader of the figures has to know of it, as its version. */
    default Optional<String> about() {
        return Optional.empty();
    }

    /** Why it cannot be measured here, and what to do about it; empty if it can. */
    default Optional<String> missing() {
        return Optional.empty();
    }
}
