package io.fibry.bench;

import io.fibry.bench.CommandLine.BadArgument;
import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Machine;
import io.fibry.bench.report.Report;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;

/** Runs experiments and prints what they measured. */
public final class Main {
    private static final String HELP = """
            Measures Fibry: speed, memory, and the same written by hand beside it.

            usage: [options] experiment...
              all          every experiment, one after the other
              --list       what there is
              --quick      fewer and shorter rounds: a first look, not a result
              --count N    that many actors, messages or sleepers, where the experiment takes a number
              --json FILE  results as JSON (default: target/bench/results.json)
              --help       this

            docs/benchmarks.md says what the figures mean.
            """;

    private final PrintStream out;
    private final PrintStream err;

    Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs experiments.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT); // figures look the same everywhere
        System.exit(new Main(System.out, System.err).run(List.of(args)));
    }

    /** Does what the arguments say; the exit code: 0 well, 1 an experiment failed, 2 a bad argument. */
    int run(List<String> args) {
        CommandLine wanted;
        try {
            wanted = CommandLine.parse(args);
        } catch (BadArgument wrong) {
            err.println(wrong.getMessage());
            err.println("--help says more");
            return 2;
        }
        if (wanted.help()) {
            out.print(HELP);
            return 0;
        }
        if (wanted.list()) {
            Experiments.all().forEach(each -> out.printf("%-18s %s%n", each.name(), each.what()));
            return 0;
        }
        return measure(wanted);
    }

    private int measure(CommandLine wanted) {
        var report = new Report(Machine.here(), out);
        out.println(report.machine().asText());
        warn(wanted.settings());
        var failures = 0;
        for (var experiment : wanted.experiments()) {
            out.printf("%n%s: %s%n", experiment.name(), experiment.what());
            try {
                Files.createDirectories(wanted.settings().logs());
                experiment.run(wanted.settings(), report);
            } catch (Exception | AssertionError failure) {
                failures++;
                err.printf("%s failed: %s%n", experiment.name(), failure);
                failure.printStackTrace(err);
            }
        }
        out.println();
        out.println(report.asMarkdown());
        return write(wanted, report) && failures == 0 ? 0 : 1;
    }

    private void warn(Settings settings) {
        var cores = Runtime.getRuntime().availableProcessors();
        if (Machine.load() > cores / 2.0) {
            out.printf("Others are using this machine (load %.1f on %d cores): these figures are rough.%n",
                    Machine.load(), cores);
        }
        if (settings.size() == Size.SMOKE) {
            out.println("--smoke is for tests: these figures mean nothing.");
        }
    }

    private boolean write(CommandLine wanted, Report report) {
        try {
            var file = wanted.json().toAbsolutePath();
            Files.createDirectories(file.getParent());
            Files.writeString(file, report.asJson());
            out.println("as JSON: " + file);
            return true;
        } catch (IOException e) {
            err.println("cannot write " + wanted.json() + ": " + e);
            return false;
        }
    }
}
