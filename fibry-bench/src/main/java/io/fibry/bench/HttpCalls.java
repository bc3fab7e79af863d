package io.fibry.bench;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.Stereotypes;
import io.fibry.bench.HttpCallers.Way;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpOptions;
import io.fibry.net.Server;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures a program that makes many short calls of another one, one after another and all at once. */
final class HttpCalls implements Experiment {
    private static final Duration ANSWERS_AFTER = Duration.ofNanos(1_500_000);
    private static final String TEXT = "I am a stub";

    private final AtomicInteger asked = new AtomicInteger();

    /** A case, and the figure of the article on two cores. */
    private record Case(int callers, boolean atOnce, double threads, double coroutines) {
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
    }

    @Override
    public String name() {
        return "http-calls";
    }

    @Override
    public String what() {
        return "a hundred calls of an HTTP server that answers after 1.5 ms, by 1 and 6 callers at a time";
    }

    @Override
    public String checks() {
        return "each call is answered with the server's text, and the server was asked that often";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int calls = settings.count(100, 100, 5);
        var stub = Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(0), this::answer);
        try (var callers = new HttpCallers(HttpRequest.newBuilder(uri(stub)).build())) {
            var cases = List.of(new Case(1, false, 159.3, 156.3), new Case(1, true, 57.6, 15.4),
                    new Case(6, false, 151.3, 143.8), new Case(6, true, 343.9, 86.7));
            for (int i = 0; i < cases.size(); i++) {
                measure(cases.get(i), callers, calls, settings.forOneOf(cases.size() - i), report);
            }
        } finally {
            stub.close();
        }
    }

    private static URI uri(Server stub) {
        return URI.create("http://127.0.0.1:" + stub.port() + "/");
    }

    private void measure(Case which, HttpCallers callers, int calls, Settings settings, Report report)
            throws Exception {
        var lines = callers.all().stream().map(caller -> Line.of(which.group(), caller.peer(),
                (own, samples) -> samples.add(millis(which, caller.way(), calls)))
                .article(which.says(caller.article()), caller.article()))
                .toList();
        new Turns(Unit.lower("ms"), settings.pick(3, 0, 0), settings.pick(11, 2, 1)).run(lines, settings,
                report);
    }

    /** Measures how long a hundred calls take, as the mean of all callers, which start at the same time. */
    private double millis(Case which, Way way, int calls) throws Exception {
        asked.set(0);
        Callable<Long> calling = () -> nanos(way, calls, which.atOnce);
        var nanos = 0L;
        try (var threads = Executors.newFixedThreadPool(which.callers)) {
            for (var took : threads.invokeAll(Collections.nCopies(which.callers, calling))) {
                nanos += took.get();
            }
        }
        if (asked.get() != which.callers * calls) {
            throw new AssertionError("the server was asked %d times, not %d".formatted(asked.get(),
                    which.callers * calls));
        }
        return nanos / 1e6 / which.callers;
    }

    private static long nanos(Way way, int calls, boolean atOnce) throws Exception {
        var start = System.nanoTime();
        var answers = way.call(calls, atOnce);
        var took = System.nanoTime() - start;
        for (var answer : answers) {
            if (answer.statusCode() != 200 || !answer.body().equals(TEXT)) {
                throw new AssertionError("answered with %d and '%s'".formatted(answer.statusCode(),
                        answer.body()));
            }
        }
        if (answers.size() != calls) {
            throw new AssertionError("%d answers to %d calls".formatted(answers.size(), calls));
        }
        return took;
    }

    private String answer(HttpExchange exchange) throws InterruptedException {
        asked.incrementAndGet();
        Thread.sleep(ANSWERS_AFTER);
        return TEXT;
    }
}
