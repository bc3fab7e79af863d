package io.fibry.web;

import java.time.Duration;

/** Checks numbers and durations of options. */
final class Positive {
    private Positive() {
    }

    static void require(Duration time, String name) {
        if (!time.isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + time);
        }
    }

    static void require(long number, String name) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + number);
        }
    }
}
