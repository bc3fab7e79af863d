package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures many short calls of another program, one after another and all at once, by programs that have one, two and four processors. */
final class HttpCalls implements Experiment {
    private static final int CALLS = 100;
    private static final int MOST = 4;
    private static final int VIRTUAL = 2;
    /** The peers, in the order of {@link HttpCallers#all}. */
    private static final List<Who> ALL = List.of(new Who("Fibry, a pool of 100", "coroutines"),
            new Who("pool with a thread for each processor", "threads"), new Who("virtual threads", ""),
            new Who("Kotlin, coroutines", "coroutines"));

    /** A peer, and the column of the article to compare it with; empty if there is none. */
    private record Who(String peer, String article) {
    }

    /** A program with some processors. */
    private record Case(int processors, HttpCase http) {
        boolean isQuick() {
            return processors < MOST && http.callers() == 1 && http.atOnce();
        }

        String group() {
            return "%d %s, %s".formatted(processors, processors == 1 ? "processor" : "processors",
                    http.group());
        }
    }

    /** All cases of the article, with its figures. */
    private static final List<Case> CASES = List.of(new Case(1, new HttpCase(1, false, 160.3, 154.1)),
            new Case(2, new HttpCase(1, false, 159.3, 156.3)),
            new Case(4, new HttpCase(1, false, 159, 157.4)),
            new Case(1, new HttpCase(1, true, 163.9, 10.7)),
            new Case(2, new HttpCase(1, true, 57.6, 15.4)), new Case(4, new HttpCase(1, true, 25.7, 14.8)),
            new Case(1, new HttpCase(6, false, 146.8, 146.3)),
            new Case(2, new HttpCase(6, false, 151.3, 143.8)),
            new Case(4, new HttpCase(6, false, 152.3, 144.7)),
            new Case(1, new HttpCase(6, true, 984.8, 79.3)), new Case(2, new HttpCase(6, true, 343.9, 86.7)),
            new Case(4, new HttpCase(6, true, 135, 81.7)));

    @Override
    public String name() {
        return "http-calls";
    }

    @Override
    public String what() {
        return "a hundred calls of an HTTP server that answers after 1.5 ms, by programs with 1, 2 and 4 processors";
    }

    @Override
    public String checks() {
        return "each call is answered with the server's text, and the server was asked that often";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(9);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int here = Runtime.getRuntime().availableProcessors();
        if (here < MOST) {
            report.note(
                    "this machine has %d processors: with %d, a program has more threads, but no more of them"
                            .formatted(here, MOST));
        }
        int calls = settings.count(CALLS, CALLS, 5);
        try (var stub = new HttpStub()) {
            var lines = new ArrayList<Line>();
            for (var which : CASES) {
                for (int i = 0; i < ALL.size(); i++) {
                    var line = line(which, i, calls, stub);
                    lines.add(which.isQuick() && i != VIRTUAL ? line : line.fullOnly());
                }
            }
            new Turns(Unit.lower("ms"), 0, settings.timesEach()).run(lines, settings, report);
        }
    }

    private static Line line(Case which, int who, int calls, HttpStub stub) {
        return Line.of(which.group(), ALL.get(who).peer, (settings, samples) -> {
            var found = ChildJvm.run(
                    List.of("-XX:ActiveProcessorCount=" + which.processors, "-XX:+UseSerialGC", "-Xmx256m"),
                    HttpCalls.class, List.of(stub.uri().toString(), "" + who, "" + which.http.callers(),
                            "" + which.http.atOnce(), "" + calls, "" + settings.pick(2_000, 100, 0)),
                    line -> {
                    });
            if (found.get("processors") != which.processors) {
                throw new AssertionError("the program had %.0f processors, not %d".formatted(
                        found.get("processors"), which.processors));
            }
            stub.check((int) (found.get("rounds") * which.http.callers() * calls));
            samples.add(found.get("millis"));
        }).article(which.http.says(ALL.get(who).article), ALL.get(who).article);
    }

    /**
     * Runs in the child.
     *
     * @param args the server, the number of the peer, the number of callers, whether each makes its calls all at once,
     *     the number of its calls, and for how many ms they make calls that do not count, and then calls that count
     * @throws Exception any exception
     */
    public static void main(String[] args) throws Exception {
        var http = new HttpCase(Integer.parseInt(args[2]), Boolean.parseBoolean(args[3]), 0, 0);
        int calls = Integer.parseInt(args[4]);
        var time = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[5]));
        try (var callers = new HttpCallers(HttpRequest.newBuilder(URI.create(args[0])).build())) {
            var way = callers.all().get(Integer.parseInt(args[1]));
            int rounds = 0;
            var counted = new Samples();
            for (var start = System.nanoTime(); counted.isEmpty()
                    || System.nanoTime() - start < 2 * time; rounds++) {
                var millis = http.millis(way, calls);
                if (rounds > 0 && System.nanoTime() - start >= time) {
                    counted.add(millis);
                }
            }
            ChildJvm.result("millis", counted.median());
            ChildJvm.result("rounds", rounds);
            ChildJvm.result("processors", Runtime.getRuntime().availableProcessors());
        }
        Runtime.getRuntime().halt(0);
    }
}
