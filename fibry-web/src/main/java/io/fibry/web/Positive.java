package io.fibry.web;

/** Checks numbers of options. */
final class Positive {
    private Positive() {
    }

    static void require(long number, String name) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + number);
        }
    }
}
