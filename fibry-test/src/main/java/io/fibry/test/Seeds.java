package io.fibry.test;

import java.util.stream.LongStream;

/** The seeds of a test. */
final class Seeds {
    static final String PROPERTY = "fibry.seed";

    private Seeds() {
    }

    /** Returns the numbers from zero; only the one of the system property, if that is set. */
    static Iterable<Long> chosen(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("seeds must be at least 1: " + count);
        }
        var only = System.getProperty(PROPERTY);
        return () -> (only == null ? LongStream.range(0, count) : LongStream.of(parse(only))).iterator();
    }

    private static long parse(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the system property " + PROPERTY + " must be the seed of a schedule, a number: '" + text
                            + "'",
                    e);
        }
    }
}
