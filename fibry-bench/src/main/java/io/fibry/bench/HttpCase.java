package io.fibry.bench;

import io.fibry.bench.HttpCallers.Way;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/**
 * Callers that start at the same time and each make many calls, and the figures of the article for that.
 *
 * @param callers how many callers there are
 * @param atOnce whether a caller makes all of its calls at once
 * @param threads what the article says of threads, in ms
 * @param coroutines what it says of coroutines
 */
record HttpCase(int callers, boolean atOnce, double threads, double coroutines) {
    double says(String article) {
        return switch (article) {
            case "threads" -> threads;
            case "coroutines" -> coroutines;
            default -> 0;
        };
    }

    String group() {
        return "%d %s, %s".formatted(callers, callers == 1 ? "caller" : "callers",
                atOnce ? "all at once" : "one after the other");
    }

    /** Measures how long the calls of a caller take, as the mean of all callers. Checks all answers. */
    double millis(Way way, int calls) throws Exception {
        Callable<Long> calling = () -> nanos(way, calls);
        var nanos = 0L;
        try (var threads = Executors.newFixedThreadPool(callers)) {
            for (var took : threads.invokeAll(Collections.nCopies(callers, calling))) {
                nanos += took.get();
            }
        }
        return nanos / 1e6 / callers;
    }

    private long nanos(Way way, int calls) throws Exception {
        var start = System.nanoTime();
        var answers = way.call(calls, atOnce);
        var took = System.nanoTime() - start;
        for (var answer : answers) {
            if (answer.statusCode() != 200 || !answer.body().equals(HttpStub.TEXT)) {
                throw new AssertionError("answered with %d and '%s'".formatted(answer.statusCode(),
                        answer.body()));
            }
        }
        if (answers.size() != calls) {
            throw new AssertionError("%d answers to %d calls".formatted(answers.size(), calls));
        }
        return took;
    }
}
