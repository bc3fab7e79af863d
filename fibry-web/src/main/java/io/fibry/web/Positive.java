package io.fibry.web;

import java.time.Duration;

/** Checks durations of options. */
final class Positive {
    private Positive() {
    }

    static void require(Duration time, String name) {
        if (!time.isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + time);
        }
    }
}
