package io.fibry.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A test suite that others have written, as a program. It is fetched into target, and nothing is left elsewhere. */
final class Suite {
    private static final int FETCH_MINUTES = 5;

    private Suite() {
    }

    /** A folder of its own, which stays as long as target does. */
    static Path folder(String name) throws IOException {
        return Files.createDirectories(Path.of("target", "suites", name).toAbsolutePath());
    }

    /** Runs a command whose output goes to a file; fails, with its end, if it does not end well or in time. */
    static void run(List<String> command, Map<String, String> environment, Path output, int minutes)
            throws Exception {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .directory(output.getParent().toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
                throw new AssertionError(
                        command + " took longer than " + minutes + " minutes:\n" + end(output));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(command + " ended with " + process.exitValue() + ":\n" + end(output));
        }
    }

    /** As {@link #run}, for what fetches something. */
    static void fetch(List<String> command, Map<String, String> environment, Path output) throws Exception {
        run(command, environment, output, FETCH_MINUTES);
    }

    private static String end(Path output) throws IOException {
        var lines = Files.readAllLines(output, java.nio.charset.StandardCharsets.ISO_8859_1);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 80), lines.size()));
    }
}
