package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.util.List;

/** Checks that as many idle actors as the budget demands are alive, in the heap that it allows, and still answer. */
final class HundredMillion implements Experiment {
    @Override
    public String name() {
        return "hundred-million";
    }

    @Override
    public String what() {
        return "100,000,000 idle actors alive in a 16 GiB heap, which still answer (--count for fewer)";
    }

    @Override
    public String checks() {
        return "all are alive in the end, and some, spread over all, are asked and answer";
    }

    @Override
    public void run(Settings settings, Report report) throws IOException, InterruptedException {
        int count = settings.count(100_000_000, 5_000_000, 20_000);
        var heap = settings.size() == Size.SMOKE ? "256m" : "16g";
        report.note("%,d in a JVM of its own with -Xmx%s; memory available: %s".formatted(count, heap,
                report.machine().fields().get("memory available")));
        var measured = ChildJvm.run(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), ManyActors.class,
                List.of("" + count), report::progress);
        report.add(row("alive in " + heap, Unit.higher("M actors"), measured.get("alive") / 1e6)
                .withMustBe(settings.count().isEmpty() && settings.size() == Size.FULL ? ">= 100" : "")
                .withArticle(3, "3M"));
        report.add(
                row("each of them", Unit.lower("bytes of heap"), measured.get("bytes")).withMustBe("<= 64"));
        report.add(row("time to make them, collections included", Unit.lower("s"), measured.get("seconds")));
        report.add(row("asked, all of which answered", Unit.higher("actors"), measured.get("answers")));
    }

    private static Row row(String group, Unit unit, double value) {
        return new Row(group, Peers.FIBERS, unit, Samples.of(value));
    }
}
