package io.fibry.bench;

import io.fibry.bench.report.Report;

/**
 * Many requests at once to a server of this machine.
 *
 * @param who the program that sends them
 * @param rate sends them
 */
record HttpLoad(String who, Rate rate) {
    /** Sends requests to a port of this machine. Returns how many were answered in a second. */
    @FunctionalInterface
    interface Rate {
        double measure(int port) throws Exception;
    }

    /** Returns the load of a program or, where it is not installed, another one. */
    static HttpLoad of(LoadProgram program, OwnLoad otherwise, Report report) {
        if (program.isInstalled()) {
            return new HttpLoad(program.asText(), program::run);
        }
        report.note(program.howToGetIt());
        return new HttpLoad("instead of " + program.name() + ": " + otherwise.asText(), otherwise::run);
    }
}
