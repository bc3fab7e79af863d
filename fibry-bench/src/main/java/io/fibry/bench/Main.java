package io.fibry.bench;

import io.fibry.bench.CommandLine.BadArgument;
import io.fibry.bench.report.Comparison;
import io.fibry.bench.report.ComparisonText;
import io.fibry.bench.report.JsonFile;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The program. It runs experiments and shows their results, or compares two runs. */
public final class Main {
    private static final String HELP =
            """
                    Measures Fibry: speed, memory, and the same by other means beside it.

                    usage: [options] experiment...
                      all           every experiment but cluster, one after the other
                      --quick       a first look: all of them in about four minutes, rough
                      --out DIR     where the results go (default: target/bench): index.html, results.json,
                                    results.txt, results.md, summary.svg, and what child processes print in logs/
                      --count N     that many actors, messages or sleepers, where the experiment takes a number
                      --rounds N    measures each line N times (default: 3 for most; quick: 1), mostly in a new JVM each time
                      --processors N
                                    uses the first N processors only, also for what it starts (Linux)

                      --list        what experiments there are
                      --compare A.json B.json
                                    what has changed from one run to the other: ratios of the medians, with the
                                    smallest and the largest ratio that single samples have
                      --render A.json
                                    page, chart and tables of results measured before
                      --help        this

                    exit code: 0 well; 1 an experiment failed, or something has become worse; 2 a bad argument

                    experiments:
                    """;
    private static final int BAD_ARGUMENT = 2;

    private final PrintStream out;
    private final PrintStream err;

    Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command in the arguments.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT); // figures look the same everywhere
        System.exit(new Main(System.out, System.err).run(List.of(args)));
    }

    /** Runs the command in the arguments. Returns the exit code. */
    int run(List<String> args) {
        try {
            return switch (CommandLine.parse(args)) {
                case Command.Help help -> help();
                case Command.Names names -> names("");
                case Command.Measure measure -> measure(measure, args);
                case Command.Compare compare -> compare(compare);
                case Command.Render render -> render(render);
            };
        } catch (BadArgument | IOException wrong) {
            err.println(wrong.getMessage());
            err.println("--help says more");
            return BAD_ARGUMENT;
        }
    }

    private int measure(Command.Measure measure, List<String> args) throws IOException {
        if (measure.processors().isPresent()) {
            Processors.useFirst(measure.processors().getAsInt());
        }
        return new Run(measure, args, out, err).measure();
    }

    private int help() {
        out.print(HELP);
        names("  ");
        out.println("\ndocs/benchmarks.md says what the figures mean.");
        return 0;
    }

    private int names(String indent) {
        Experiments.all().forEach(each -> out.printf("%s%-18s %s%n", indent, each.name(), each.what()));
        return 0;
    }

    private int compare(Command.Compare compare) throws IOException {
        var comparison = Comparison.of(JsonFile.read(compare.before()), JsonFile.read(compare.after()));
        out.print(ComparisonText.of(comparison));
        return comparison.isWorse() ? 1 : 0;
    }

    private int render(Command.Render render) throws IOException {
        var output = new Output(render.folder());
        output.write(JsonFile.read(render.results()));
        out.println("page: " + output.page().toAbsolutePath());
        return 0;
    }
}
