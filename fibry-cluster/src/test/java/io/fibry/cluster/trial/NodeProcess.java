package io.fibry.cluster.trial;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own, which does what its standard input says. */
public final class NodeProcess {
    private final String name;
    private final int index;
    private final String address;
    private final Process process;
    private final Writer in;
    private final Path log;
    private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /** A {@link SharedNode}, which has its settings from its environment, and logs messages. */
    public NodeProcess(String name, Path messages, Map<String, String> environment, List<String> prefix,
            List<String> options, Path folder)
            throws IOException {
        this(name, 0, "", prefix, options, List.of(SharedNode.class.getName(), messages.toString()),
                environment, folder);
    }

    /** A process whose class, arguments and environment are given. */
    public NodeProcess(String name, List<String> main, Map<String, String> environment, Path folder)
            throws IOException {
        this(name, 0, "", List.of(), List.of(), main, environment, folder);
    }

    /** A process whose place in a network, options, class and arguments are given. */
    public NodeProcess(String name, int index, String address, List<String> prefix, List<String> options,
            List<String> main, Map<String, String> environment, Path folder) throws IOException {
        this.name = name;
        this.index = index;
        this.address = address;
        log = folder.resolve(name + "-" + System.nanoTime() + ".err");
        var command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
                "-Djava.net.preferIPv4Stack=true",
                "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        command.addAll(main);
        var builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
        in = process.outputWriter(StandardCharsets.UTF_8);
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        Thread.ofVirtual().start(() -> {
            try {
                out.lines().filter(each -> each.startsWith("READY") || each.startsWith("= "))
                        .forEach(answers::add);
            } catch (UncheckedIOException killed) {
                // Its output is closed.
            }
            answers.add("= ended");
        });
    }

    public String name() {
        return name;
    }

    public int index() {
        return index;
    }

    public String address() {
        return address;
    }

    /** What it has logged. */
    public String log() throws IOException {
        return Files.readString(log);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public String awaitReady() throws IOException, InterruptedException {
        var answer = answers.poll(90, TimeUnit.SECONDS);
        if (answer == null || !answer.startsWith("READY")) {
            throw new AssertionError(name + (isAlive() ? " did not start in 90 s: " : " has ended: ") + answer
                    + "; its log ends with\n" + lastLines(log()));
        }
        return answer;
    }

    private static String lastLines(String text) {
        var lines = text.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
    }

    public String ask(String line) throws IOException, InterruptedException {
        in.write(line + "\n");
        in.flush();
        var answer = answers.poll(90, TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError(name + " did not answer in 90 s: " + line);
        }
        return answer.substring(2);
    }

    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    public void signal(String what) throws IOException {
        new ProcessBuilder("kill", "-" + what, "" + process.pid()).inheritIO().start().onExit().join();
    }

    @Override
    public String toString() {
        return name;
    }
}
