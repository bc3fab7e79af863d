package io.fibry.bench;

import io.fibry.bench.Jmh.Case;
import io.fibry.bench.jmh.CreateBenchmark;
import io.fibry.bench.report.Report;
import java.util.List;
import java.util.Map;

/** How fast actors are made. */
final class Create implements Experiment {
    @Override
    public String name() {
        return "create";
    }

    @Override
    public String what() {
        return "makes anonymous actors on fibers";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var benchmark = CreateBenchmark.class.getName();
        new Jmh(name(), "M/s", 1e-6, "actors", List.of(
                new Case("sink on fibers", benchmark + ".sinks", Map.of(), ">= 20", "0.95 (200 K in 210 ms)"),
                new Case("handler on fibers", benchmark + ".handlers", Map.of(), ">= 20", ""),
                new Case("by hand: virtual thread + LinkedTransferQueue", benchmark + ".virtualThreads",
                        Map.of())))
                .run(settings, report);
    }
}
