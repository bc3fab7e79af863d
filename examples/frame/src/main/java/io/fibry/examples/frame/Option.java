package io.fibry.examples.frame;

/**
 * An option of an example's command line.
 *
 * @param name the name, for example {@code --port}
 * @param initial its value if it is not given
 * @param what the purpose of the option, in one line
 */
public record Option(String name, String initial, String what) {
    /**
     * Returns the option for the port of a server.
     *
     * @param initial the port if none is given
     * @return the option {@code --port}
     */
    public static Option port(int initial) {
        return new Option("--port", String.valueOf(initial), "where to listen; 0 takes any free port");
    }
}
