package io.fibry.cluster.infinispan;

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
final class NodeProcess {
    private final String name;
    private final int index;
    private final String address;
    private final Process process;
    private final Writer in;
    private final Path log;
    private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();

    NodeProcess(String name, int index, String host, int port, String hosts, long detection, Path log,
            Path folder,
            boolean inNamespace) throws IOException {
        this(name, index, host + ":" + port, inNamespace ? Namespaces.prefix(index) : List.of(), List.of(),
                List.of(HammerNode.class.getName(), name, host, "" + port, hosts, "" + detection,
                        log.toString()),
                Map.of(), folder);
    }

    /** A {@link SharedNode}, which has its settings from its environment, and logs messages. */
    NodeProcess(String name, Path messages, Map<String, String> environment, List<String> prefix,
            List<String> options,
            Path folder)
            throws IOException {
        this(name, 0, "", prefix, options,
                List.of(SharedNode.class.getName(), messages.toString()), environment, folder);
    }

    /** A process whose class and arguments are given. */
    NodeProcess(String name, List<String> main, Path folder) throws IOException {
        this(name, 0, "", List.of(), List.of(), main, Map.of(), folder);
    }

    private NodeProcess(String name, int index, String address, List<String> prefix, List<String> options,
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

    String name() {
        return name;
    }

    int index() {
        return index;
    }

    String address() {
        return address;
    }

    /** What it has logged. */
    String log() throws IOException {
        return Files.readString(log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String awaitReady() throws IOException, InterruptedException {
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

    String ask(String line) throws IOException, InterruptedException {
        in.write(line + "\n");
        in.flush();
        var answer = answers.poll(90, TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError(name + " did not answer in 90 s: " + line);
        }
        return answer.substring(2);
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    void signal(String what) throws IOException {
        new ProcessBuilder("kill", "-" + what, "" + process.pid()).inheritIO().start().onExit().join();
    }

    @Override
    public String toString() {
        return name;
    }
}
