package io.fibry.bench;

import io.fibry.bench.Twin.Count;
import io.fibry.bench.jmh.CreateBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;

/** Measures how fast actors are made. */
final class Create implements Experiment {
    private static final String HANDLERS = "Fibry, handlers on fibers";

    @Override
    public String name() {
        return "create";
    }

    @Override
    public String what() {
        return "makes anonymous actors, idle and kept, 100,000 at a time";
    }

    @Override
    public String checks() {
        return "all of a batch are there, and ten actors of it, spread over all, handle a message";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<>(List.of(
                of(HANDLERS, "handlers"),
                of("Fibry, sinks on fibers", "sinks").article(0.95, "200 K in 210 ms"),
                of(Peers.VIRTUAL_TRANSFER, "virtualThreads"),
                of(Peers.PEKKO, "pekko"), of(Peers.KOTLIN, "coroutines")));
        lines.addAll(Twin.each("", Count.millionsInASecond(CreateBenchmark.ACTORS), "create", 0));
        var rows = JmhRun.turns(settings, Unit.higher("M/s")).run(lines, settings, report);
        Turns.ratio(rows, "", HANDLERS, Peers.VIRTUAL_TRANSFER, ">= 10", report);
        Turns.ratio(rows, "", HANDLERS, Language.GO.peer, ">= 10", report);
    }

    private static Line of(String peer, String method) {
        return Line.of("", peer,
                JmhRun.of(CreateBenchmark.class, method).operations("actors", 0).inMillions());
    }
}
