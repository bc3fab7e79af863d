package io.fibry.examples.frame;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The options of a command line: {@code --name value} pairs, each of which is known. */
public final class Options {
    private static final int MAX_PORT = 65_535;

    private final Map<String, String> values = new LinkedHashMap<>();
    private final String usage;

    private Options(List<Option> known) {
        known.forEach(option -> values.put(option.name(), option.initial()));
        usage = known.isEmpty() ? "this example has no options" : known.stream()
                .map(option -> "  %-14s %s (%s)".formatted(option.name(), option.what(),
                        option.initial().isEmpty() ? "not set" : option.initial()))
                .collect(Collectors.joining("\n", "options, in -Dexample.args=\"...\":\n", ""));
    }

    /**
     * Reads a command line.
     *
     * @param args the arguments
     * @param known all options that there are
     * @return the values
     * @throws UsageException if an argument is unknown or has no value, or help is asked for
     */
    public static Options read(String[] args, Option... known) {
        var options = new Options(List.of(known));
        if (List.of(args).contains("--help")) {
            throw UsageException.help(options.usage);
        }
        for (int i = 0; i < args.length; i += 2) {
            if (!options.values.containsKey(args[i])) {
                throw options.wrong("unknown argument '" + args[i] + "'");
            }
            if (i + 1 == args.length) {
                throw options.wrong(args[i] + " wants a value");
            }
            options.values.put(args[i], args[i + 1]);
        }
        return options;
    }

    /**
     * The option {@code --port}.
     *
     * @return a port, or 0 for any free one
     */
    public int port() {
        return port("--port");
    }

    /**
     * A port.
     *
     * @param name the option
     * @return a port, or 0 for any free one
     */
    public int port(String name) {
        return number(name, 0, MAX_PORT);
    }

    /**
     * A number.
     *
     * @param name the option
     * @param least the smallest number that makes sense
     * @param most the largest
     * @return the number
     */
    public int number(String name, int least, int most) {
        var value = text(name).replace("_", "");
        if (value.matches("[0-9]{1,9}")) {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw wrong("%s wants a number from %d to %d, not '%s'".formatted(name, least, most, text(name)));
    }

    /**
     * A value as it was given.
     *
     * @param name the option
     * @return the value; empty if the option has none
     */
    public String text(String name) {
        var value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the example does not know its own option " + name);
        }
        return value;
    }

    /**
     * Says that a value makes no sense.
     *
     * @param problem what is wrong
     * @return what to throw
     */
    public UsageException wrong(String problem) {
        return UsageException.wrong(problem + "\n" + usage);
    }
}
