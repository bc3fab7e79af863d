package io.fibry.bench;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A computation that makes objects, as the task of the article on coroutines does, and checks its result. */
record Computation(int objects, int result) {
    static Computation of(int objects) {
        return new Computation(objects, IntStream.range(0, objects).map(Computation::digits).sum());
    }

    private static int digits(int number) {
        return number < 10 ? 1 : 1 + digits(number / 10);
    }

    /** Computes. Returns the result, which is the same each time. */
    int run() {
        var text = IntStream.range(0, objects).mapToObj(Integer::toString).collect(Collectors.joining());
        if (text.length() != result) {
            throw new AssertionError("computed " + text);
        }
        return text.length();
    }
}
