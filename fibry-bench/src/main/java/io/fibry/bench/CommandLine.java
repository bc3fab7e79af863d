package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * What the command line asks for.
 *
 * @param help print the help and nothing else
 * @param list print the list of experiments and nothing else
 * @param experiments what to run
 * @param settings how
 * @param json where the results go as JSON
 */
record CommandLine(boolean help, boolean list, List<Experiment> experiments, Settings settings, Path json) {
    private static final long MAX_COUNT = 1_000_000_000;

    /** What is wrong with a command line. */
    static final class BadArgument extends Exception {
        private static final long serialVersionUID = 1;

        BadArgument(String message) {
            super(message);
        }
    }

    static CommandLine parse(List<String> args) throws BadArgument {
        var rest = new ArrayDeque<>(args);
        var chosen = new ArrayList<Experiment>();
        var help = args.isEmpty();
        var list = false;
        var size = Size.FULL;
        var count = OptionalLong.empty();
        var folder = Path.of("target", "bench");
        var json = Optional.<Path>empty();
        while (!rest.isEmpty()) {
            var arg = rest.pop();
            switch (arg) {
                case "--help", "-h" -> help = true;
                case "--list" -> list = true;
                case "--quick" -> size = Size.QUICK;
                case "--smoke" -> size = Size.SMOKE;
                case "--count" -> count = OptionalLong.of(number(arg, value(arg, rest)));
                case "--json" -> json = Optional.of(Path.of(value(arg, rest)));
                case "all" -> chosen.addAll(Experiments.all());
                default -> chosen.add(experiment(arg));
            }
        }
        return new CommandLine(help, list, List.copyOf(chosen), new Settings(size, count, folder),
                json.orElse(folder.resolve("results.json")));
    }

    private static String value(String option, ArrayDeque<String> rest) throws BadArgument {
        if (rest.isEmpty()) {
            throw new BadArgument(option + " wants a value after it");
        }
        return rest.pop();
    }

    private static long number(String option, String value) throws BadArgument {
        var digits = value.replace("_", "");
        if (!digits.matches("[0-9]{1,10}") || Long.parseLong(digits) < 1
                || Long.parseLong(digits) > MAX_COUNT) {
            throw new BadArgument(
                    option + " wants a number from 1 to " + MAX_COUNT + ", not '" + value + "'");
        }
        return Long.parseLong(digits);
    }

    private static Experiment experiment(String arg) throws BadArgument {
        var kind = arg.startsWith("-") ? "option" : "experiment";
        return Experiments.find(arg).orElseThrow(() -> new BadArgument("there is no " + kind + " '" + arg
                + "'; experiments are: all, "
                + Experiments.all().stream().map(Experiment::name).collect(Collectors.joining(", "))));
    }
}
