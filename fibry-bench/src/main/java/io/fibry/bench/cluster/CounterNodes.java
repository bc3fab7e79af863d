package io.fibry.bench.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three processes of this machine, each a node. Used by one thread. */
public final class CounterNodes implements AutoCloseable {
    private static final List<String> NAMES = List.of("a", "b", "c");
    /** How many lines of a log are told. */
    private static final int LINES = 20;
    private static final Duration QUIET = Duration.ofSeconds(3);

    private final String by;
    private final List<Integer> ports = new ArrayList<>();
    private final Map<String, Running> nodes = new LinkedHashMap<>();
    /** What the nodes of Fibry have in common. */
    private final Path database;

    private record Running(Process process, Writer in, BufferedReader out, Path errors) {
    }

    private CounterNodes(String by) throws IOException {
        this.by = by;
        var folder = Files.createTempDirectory("fibry-cluster");
        folder.toFile().deleteOnExit();
        database = folder.resolve("cluster.db");
    }

    /**
     * Starts three nodes at the same time. They may not be ready yet.
     *
     * @param by by what: {@code fibry} or {@code pekko}
     * @return the nodes
     * @throws IOException if a process cannot be started
     */
    public static CounterNodes start(String by) throws IOException {
        var started = new CounterNodes(by);
        var held = new ArrayList<ServerSocket>();
        for (int i = 0; i < NAMES.size(); i++) {
            held.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
        }
        for (var each : held) {
            started.ports.add(each.getLocalPort());
            each.close();
        }
        for (var each : NAMES) {
            started.start1(each);
        }
        return started;
    }

    private void start1(String name) throws IOException {
        var errors = Files.createTempFile("fibry-" + by + "-" + name, ".log");
        errors.toFile().deleteOnExit();
        var hosts = String.join(",", ports.stream().map(each -> "127.0.0.1:" + each).toList());
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC", "--sun-misc-unsafe-memory-access=allow", "-cp",
                System.getProperty("java.class.path"), CounterNode.class.getName(), by, name,
                "" + ports.get(NAMES.indexOf(name)), hosts, "file:" + database).redirectError(errors.toFile())
                .start();
        nodes.put(name, new Running(process, process.outputWriter(), process.inputReader(), errors));
    }

    /**
     * Starts a node again, and waits until it is ready.
     *
     * @param name its name
     * @throws IOException if the process has ended
     */
    public void restart(String name) throws IOException {
        start1(name);
        awaitReady(name);
    }

    /**
     * Waits until a node is ready.
     *
     * @param name its name
     * @return how many milliseconds of a processor it has used until then, and how many classes it has loaded
     * @throws IOException if the process has ended
     */
    public String awaitReady(String name) throws IOException {
        return read(name);
    }

    private String read(String name) throws IOException {
        var node = nodes.get(name);
        var out = node.out;
        for (var line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("= ")) {
                return line.substring(2);
            }
        }
        throw new IOException("the node " + name + " of " + by + " has ended. What it has logged last: "
                + lastOf(node.errors));
    }

    private static String lastOf(Path log) throws IOException {
        var lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    }

    /**
     * Gives a node something to do, and waits until it is done.
     *
     * @param name its name
     * @param line what to do
     * @return what it has answered
     * @throws IOException if the process has ended
     */
    public String ask(String name, String line) throws IOException {
        tell(name, line);
        return read(name);
    }

    private void tell(String name, String line) throws IOException {
        var in = nodes.get(name).in;
        in.write(line + "\n");
        in.flush();
    }

    /**
     * Waits until the nodes that are left have all counters.
     *
     * @throws IOException if a process has ended
     */
    public void awaitServed() throws IOException {
        for (var name : nodes.keySet()) {
            tell(name, "serve");
        }
        for (var name : nodes.keySet()) {
            read(name);
        }
    }

    /**
     * Waits until all of three nodes have counters.
     *
     * @throws IOException if a process has ended
     */
    public void awaitSpread() throws IOException {
        while (!ask(nodes.keySet().iterator().next(), "serve").equals(String.join("", NAMES))) {
            Thread.onSpinWait();
        }
    }

    /**
     * Waits until the counters of all nodes have handled so much, or nothing more for three seconds.
     *
     * @param expected how much
     * @return how much they have handled
     * @throws IOException if a process has ended
     */
    public long awaitHandled(long expected) throws IOException {
        var handled = handled();
        var last = System.nanoTime();
        while (handled < expected && System.nanoTime() - last < QUIET.toNanos()) {
            var now = handled();
            if (now > handled) {
                handled = now;
                last = System.nanoTime();
            }
        }
        return handled;
    }

    /**
     * Returns how much the counters of all nodes have handled.
     *
     * @return how much
     * @throws IOException if a process has ended
     */
    public long handled() throws IOException {
        var sum = 0L;
        for (var name : nodes.keySet()) {
            sum += Long.parseLong(ask(name, "handled"));
        }
        return sum;
    }

    /**
     * Ends a process at once.
     *
     * @param name the name of its node
     */
    public void kill(String name) {
        nodes.remove(name).process.destroyForcibly().onExit().join();
    }

    /**
     * Freezes a process, which is asked nothing any more.
     *
     * @param name the name of its node
     * @return ends the process
     * @throws IOException if it cannot be frozen
     */
    public AutoCloseable freeze(String name) throws IOException {
        var frozen = nodes.remove(name).process;
        new ProcessBuilder("kill", "-STOP", "" + frozen.pid()).start().onExit().join();
        return frozen::destroyForcibly;
    }

    @Override
    public void close() {
        nodes.values().forEach(each -> each.process.destroyForcibly());
    }
}
