package io.fibry.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A JVM of its own, with a heap of its own. It reports results as lines {@code @name=number}. Everything else that
 * it prints is progress.
 */
final class ChildJvm {
    private ChildJvm() {
    }

    /** Reports a result. Called in the child. */
    static void result(String name, double value) {
        System.out.println("@" + name + "=" + value);
    }

    /** Runs the main method of a class to its end. Returns the results that it has reported. */
    static Map<String, Double> run(List<String> jvmArgs, Class<?> main, List<String> args,
            Consumer<String> progress) throws IOException, InterruptedException {
        return run(List.of(), jvmArgs, main, args, progress);
    }

    /** Does the same by another program, which starts the JVM with the arguments that follow. */
    static Map<String, Double> run(List<String> by, List<String> jvmArgs, Class<?> main, List<String> args,
            Consumer<String> progress) throws IOException, InterruptedException {
        var command = new ArrayList<>(by);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArgs);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(args);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var endWithUs = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithUs);
        try (var lines = process.inputReader()) {
            var results = new HashMap<String, Double>();
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("@")) {
                    var parts = line.substring(1).split("=", 2);
                    results.put(parts[0], Double.valueOf(parts[1]));
                } else {
                    progress.accept(line);
                }
            }
            var exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IOException("the child JVM ended with " + exitCode + ": "
                        + String.join(" ", command.stream().filter(arg -> !arg.contains(":")).toList()));
            }
            return results;
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(endWithUs);
        }
    }
}
