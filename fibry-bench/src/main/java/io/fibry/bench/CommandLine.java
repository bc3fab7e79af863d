package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Reads the arguments of the program. Used once. */
final class CommandLine {
    private static final long MAX_COUNT = 1_000_000_000;

    private final ArrayDeque<String> rest;
    private final LinkedHashSet<Experiment> chosen = new LinkedHashSet<>();
    private Optional<Command> other = Optional.empty();
    private Path folder = Path.of("target", "bench");
    private Size size = Size.FULL;
    private OptionalLong count = OptionalLong.empty();
    private OptionalInt processors = OptionalInt.empty();
    private OptionalInt rounds = OptionalInt.empty();

    /** Thrown if a command line is wrong. */
    static final class BadArgument extends Exception {
        private static final long serialVersionUID = 1;

        BadArgument(String message) {
            super(message);
        }
    }

    private CommandLine(List<String> args) {
        rest = new ArrayDeque<>(args);
    }

    static Command parse(List<String> args) throws BadArgument {
        if (args.isEmpty() || args.contains("--help") || args.contains("-h")) {
            return new Command.Help();
        }
        return new CommandLine(args).parse();
    }

    private Command parse() throws BadArgument {
        while (!rest.isEmpty()) {
            take(rest.pop());
        }
        if (other.isPresent()) {
            if (!chosen.isEmpty()) {
                throw new BadArgument(
                        "--list, --compare and --render measure nothing; leave out the experiments");
            }
            return other.get() instanceof Command.Render render
                    ? new Command.Render(render.results(), folder)
                    : other.get();
        }
        if (chosen.isEmpty()) {
            throw new BadArgument(
                    "no experiment is named: 'all' runs every one, --list says which there are");
        }
        return new Command.Measure(List.copyOf(chosen),
                new Settings(size, count, folder.resolve("logs")).withRounds(rounds), folder,
                processors);
    }

    private void take(String arg) throws BadArgument {
        switch (arg) {
            case "--list" -> other = Optional.of(new Command.Names());
            case "--compare" -> other = Optional.of(new Command.Compare(
                    Path.of(value(arg, "two files of results")),
                    Path.of(value(arg, "two files of results"))));
            case "--render" -> other = Optional.of(
                    new Command.Render(Path.of(value(arg, "a file of results")), folder));
            case "--quick" -> size = Size.QUICK;
            case "--smoke" -> size = Size.SMOKE;
            case "--count" -> count = OptionalLong.of(number(arg, value(arg, "a number")));
            case "--processors" ->
                processors = OptionalInt.of((int) number(arg, value(arg, "a number")));
            case "--rounds" -> rounds = OptionalInt.of((int) number(arg, value(arg, "a number")));
            case "--out" -> folder = Path.of(value(arg, "a folder"));
            case "all" -> chosen.addAll(Experiments.forAll());
            default -> chosen.add(experiment(arg));
        }
    }

    private String value(String option, String what) throws BadArgument {
        if (rest.isEmpty() || rest.peek().startsWith("--")) {
            throw new BadArgument(option + " wants " + what + " after it");
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
        if (arg.startsWith("-")) {
            throw new BadArgument("there is no option '" + arg
                    + "', there are: --list, --quick, --out, --count, --rounds, --processors, --compare, --render, --help");
        }
        return Experiments.find(arg).orElseThrow(() -> new BadArgument("there is no experiment '" + arg
                + "', there are: all, "
                + Experiments.all().stream().map(Experiment::name).collect(Collectors.joining(", "))));
    }
}
