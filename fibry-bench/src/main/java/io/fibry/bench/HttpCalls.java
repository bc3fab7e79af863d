package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.net.http.HttpRequest;
import java.util.List;

/** Measures a program that makes many short calls of another one, one after another and all at once. */
final class HttpCalls implements Experiment {
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
        try (var stub = new HttpStub();
                var callers = new HttpCallers(HttpRequest.newBuilder(stub.uri()).build())) {
            var cases = List.of(new HttpCase(1, false, 159.3, 156.3), new HttpCase(1, true, 57.6, 15.4),
                    new HttpCase(6, false, 151.3, 143.8), new HttpCase(6, true, 343.9, 86.7));
            for (int i = 0; i < cases.size(); i++) {
                measure(cases.get(i), callers, calls, stub, settings.forOneOf(cases.size() - i), report);
            }
        }
    }

    private static void measure(HttpCase which, HttpCallers callers, int calls, HttpStub stub,
            Settings settings, Report report) throws Exception {
        var lines = callers.all().stream().map(caller -> Line.of(which.group(), caller.peer(),
                (own, samples) -> {
                    samples.add(which.millis(caller.way(), calls));
                    stub.check(which.callers() * calls);
                }).article(which.says(caller.article()), caller.article())).toList();
        new Turns(Unit.lower("ms"), settings.pick(3, 0, 0), settings.pick(11, 2, 1)).run(lines, settings,
                report);
    }
}
