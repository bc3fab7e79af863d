package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Figures;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Results;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Section;
import io.fibry.bench.report.Tables;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs experiments one after another. The results of one are in the files before the next one starts. */
final class Run {
    private static final Duration AT_LEAST = Duration.ofSeconds(2);

    private final Command.Measure wanted;
    private final List<String> args;
    private final PrintStream out;
    private final PrintStream err;
    private final Machine machine;
    private final List<Section> sections = new ArrayList<>();
    private final long start = System.nanoTime();
    private Duration allowed = Duration.ZERO;

    Run(Command.Measure wanted, List<String> args, PrintStream out, PrintStream err) {
        this.wanted = wanted;
        this.args = args;
        this.out = out;
        this.err = err;
        machine = Machine.here().with("a line there and back", LineHandOver.measure());
    }

    /** Runs the experiments. Returns the exit code. */
    int measure() throws IOException {
        var output = new Output(wanted.folder());
        out.println(machine.asText());
        results().warnings().forEach(out::println);
        Files.createDirectories(wanted.settings().logs());
        for (var experiment : wanted.experiments()) {
            out.printf("%n[%s] %d of %d, %s: %s%n", Figures.clock(seconds(start)), sections.size() + 1,
                    wanted.experiments().size(), experiment.name(), experiment.what());
            sections.add(section(experiment));
            output.write(results());
        }
        out.println();
        out.print(Tables.asText(results()));
        out.printf("%n%s, all results are in %s%n", Figures.clock(seconds(start)),
                output.page().toAbsolutePath());
        return results().isComplete() ? 0 : 1;
    }

    private Section section(Experiment experiment) {
        var report = new Report(machine, out);
        var from = System.nanoTime();
        var failed = "";
        try {
            if (wanted.settings().size() == Size.QUICK && experiment.quickTime().isZero()) {
                report.note("a quick run leaves this out");
                return new Section(experiment.name(), experiment.what(), experiment.checks(), 0, "",
                        report.notes(),
                        List.of());
            }
            experiment.run(wanted.settings().startingNow(timeFor(experiment)), report);
        } catch (Exception | AssertionError failure) {
            failed = failure.toString();
            err.printf("%s failed: %s%n", experiment.name(), failure);
            failure.printStackTrace(err);
        }
        return new Section(experiment.name(), experiment.what(), experiment.checks(), seconds(from), failed,
                report.notes(), report.rows().stream().map(this::judged).toList());
    }

    /**
     * Returns the time for an experiment. Time that the experiments before it have left, or have used too much, counts.
     */
    private Duration timeFor(Experiment experiment) {
        var areAll = wanted.experiments().size() >= Experiments.forAll().size();
        allowed = allowed.plus(areAll ? experiment.quickTime() : experiment.quickTimeIfNamed());
        var left = allowed.minusNanos(System.nanoTime() - start);
        return left.compareTo(AT_LEAST) > 0 ? left : AT_LEAST;
    }

    /** Removes the budget from a row, unless the run is a full one. */
    private Row judged(Row row) {
        return wanted.settings().size() == Size.FULL ? row : row.withMustBe("");
    }

    private Results results() {
        return new Results(wanted.settings().size().name().toLowerCase(Locale.ROOT),
                "fibry-bench " + String.join(" ", args), fields(), sections);
    }

    private Map<String, Object> fields() {
        var fields = new LinkedHashMap<>(machine.fields());
        fields.put("peers", Versions.asText());
        return fields;
    }

    private static double seconds(long from) {
        return (System.nanoTime() - from) / 1e9;
    }
}
