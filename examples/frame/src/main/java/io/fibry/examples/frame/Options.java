package io.fibry.examples.frame;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The options of a command line: {@code --name value} or {@code --name=value}. Other options are refused. */
public final class Options {
    /** An argument of all examples, which {@code Examples} takes: it opens a live page of the actors. */
    public static final String INSIDE = "--inside";

    private static final int MAX_PORT = 65_535;

    private final Map<String, String> values = new LinkedHashMap<>();
    private final String usage;

    private Options(List<Option> known) {
        known.forEach(option -> values.put(option.name(), option.initial()));
        usage = (known.isEmpty() ? "this example has no options of its own\n" : known.stream()
                .map(option -> "  %-14s %s (%s)\n".formatted(option.name(), option.what(),
                        option.initial().isEmpty() ? "not set" : option.initial()))
                .collect(Collectors.joining("", "options, in -Dexample.args=\"...\":\n", "")))
                + "  %-14s %s".formatted(INSIDE, "opens a live page of the actors, for all examples");
    }

    /**
     * Reads a command line.
     *
     * @param args the arguments
     * @param known all options of the program
     * @return the values
     * @throws UsageException if an argument is unknown or has no value, or help is asked for
     */
    public static Options read(String[] args, Option... known) {
        var options = new Options(List.of(known));
        if (List.of(args).contains("--help")) {
            throw UsageException.help(options.usage);
        }
        for (int i = 0; i < args.length; i++) {
            var given = args[i].split("=", 2);
            if (!options.values.containsKey(given[0])) {
                throw options.wrong("unknown argument '" + given[0] + "'");
            }
            if (given.length == 2) {
                options.values.put(given[0], given[1]);
            } else if (++i < args.length) {
                options.values.put(given[0], args[i]);
            } else {
                throw options.wrong(given[0] + " wants a value");
            }
        }
        return options;
    }

    /**
     * Returns the value of the option {@code --port}.
     *
     * @return a port, or 0 for any free one
     */
    public int port() {
        return port("--port");
    }

    /**
     * Returns the value of an option that is a port.
     *
     * @param name the option
     * @return a port, or 0 for any free one
     */
    public int port(String name) {
        return number(name, 0, MAX_PORT);
    }

    /**
     * Returns the value of an option that is a number.
     *
     * @param name the option
     * @param least the smallest number that is accepted
     * @param most the largest number that is accepted
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
     * Returns the text of an option.
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
     * Makes the exception for a value that is not accepted.
     *
     * @param problem what is wrong
     * @return the exception
     */
    public UsageException wrong(String problem) {
        return UsageException.wrong(problem + "\n" + usage);
    }
}
