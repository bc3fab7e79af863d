package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import java.io.IOException;
import java.util.List;

/** As many idle actors alive as the budget says, in the heap it says, which still answer. */
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
    public void run(Settings settings, Report report) throws IOException, InterruptedException {
        int count = settings.count(100_000_000, 10_000_000, 20_000);
        var heap = settings.size() == Size.SMOKE ? "256m" : "16g";
        report.progress("%,d in a JVM of its own with -Xmx%s; memory available: %s".formatted(count, heap,
                report.machine().fields().get("memory available")));
        var measured = ChildJvm.run(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), ManyActors.class,
                List.of("" + count), report::progress);
        report.add(row("actors on fibers alive", "M", measured.get("alive") / 1e6,
                settings.count().isEmpty() && settings.size() == Size.FULL ? ">= 100" : "", "3"));
        report.add(row("each of them", "bytes", measured.get("bytes"), "<= 64", ""));
        report.add(row("time to make them, collections included", "s", measured.get("seconds"), "", ""));
        report.add(row("of them asked, all answered", "actors", measured.get("answers"), "", ""));
    }

    private Row row(String subject, String unit, double value, String budget, String article) {
        return new Row(name(), subject, unit, Samples.of(value), budget, article);
    }
}
