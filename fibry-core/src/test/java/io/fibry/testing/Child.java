package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a JVM of its own, for tests that need other options than the suite's. */
public final class Child {
    private static final long LIMIT_SECONDS = 100; // less than JUnit's, which does not say what it has printed

    private Child() {
    }

    /** Runs it; fails unless it ends by itself, in time and with status zero. Returns what it has printed. */
    public static String run(Class<?> main, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // as the suite itself
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return tool("java", command);
    }

    /** Runs it where no more than so many files and sockets may be open at once. */
    public static String withFewFiles(int files, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(List.of("sh", "-c", "ulimit -n " + files + " && exec \"$@\"", "sh", java(),
                        "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command(command);
    }

    /** Runs a tool of the JDK that runs this. */
    public static String tool(String name, List<String> arguments) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", name).toString());
        command.addAll(arguments);
        return command(command);
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String command(List<String> command) throws IOException, InterruptedException {
        var output = Files.createTempFile("fibry-child", ".txt");
        var process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        try {
            var ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            var text = Files.readString(output);
            assertThat(ended).as("ended in time, having printed: %s", text).isTrue();
            assertThat(process.exitValue()).as("status after printing: %s", text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
