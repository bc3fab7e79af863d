package io.fibry.bench;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A program that sends requests to an HTTP server and reports how many were answered in a second. */
record LoadProgram(String name, String debianPackage, List<String> command) {
    private static final Pattern RATE =
            Pattern.compile("Requests(?: per second|/sec): *([0-9.]+)");
    private static final Pattern FAILURES =
            Pattern.compile("Failed requests: *([1-9][0-9]*)|Socket errors: (.*)|Non-2xx.*: *([1-9][0-9]*)");

    static LoadProgram ab(boolean keepAlive, int requests, int clients) {
        var options = Stream.of("ab", "-q", "-n", "" + requests, "-c", "" + clients);
        return new LoadProgram("ab", "apache2-utils",
                (keepAlive ? Stream.concat(options, Stream.of("-k")) : options).toList());
    }

    static LoadProgram wrk(int seconds, int clients) {
        return new LoadProgram("wrk", "wrk", List.of("wrk", "-t1", "-c" + clients, "-d" + seconds + "s"));
    }

    boolean isInstalled() {
        return Language.isOnPath(name);
    }

    String howToGetIt() {
        return name + " is not installed; on Debian and Ubuntu: apt-get install " + debianPackage;
    }

    String asText() {
        return String.join(" ", command).replace("-q ", "");
    }

    /** Runs the program. Returns how many requests were answered in a second. */
    double run(int port) throws IOException, InterruptedException {
        var all = Stream.concat(command.stream(), Stream.of("http://127.0.0.1:" + port + "/")).toList();
        var process = new ProcessBuilder(all).redirectErrorStream(true).start();
        try (var output = process.inputReader()) {
            var text = String.join("\n", output.lines().toList());
            var rate = RATE.matcher(text);
            if (process.waitFor() != 0 || !rate.find() || FAILURES.matcher(text).find()) {
                throw new IOException(String.join(" ", all) + " said: " + text);
            }
            return Double.parseDouble(rate.group(1));
        } finally {
            process.destroyForcibly();
        }
    }
}
