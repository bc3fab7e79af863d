package io.fibry.examples.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The program in three processes, started by one command, as in three terminals. They end with this object. */
final class BankProcesses implements AutoCloseable {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final Path folder;
    private final List<Place> places = new ArrayList<>();
    private final Map<String, Process> running = new HashMap<>();

    BankProcesses(Path folder) throws IOException {
        this.folder = folder;
        var open = new ArrayList<ServerSocket>();
        try {
            while (open.size() < NAMES.size()) {
                open.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
            }
            for (int i = 0; i < NAMES.size(); i++) {
                places.add(new Place(NAMES.get(i), open.get(i).getLocalPort()));
            }
        } finally {
            for (var each : open) {
                each.close();
            }
        }
    }

    String page(String name) {
        return places.get(NAMES.indexOf(name)).address();
    }

    /** Starts a process, and returns when its node has joined, at the first place that is free. */
    void start() throws IOException {
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED", "-Djava.io.tmpdir=" + folder,
                "-Dlogback.configurationFile=io/fibry/examples/cluster/logback.xml", "-cp",
                System.getProperty("java.class.path"),
                ClusterBank.class.getName(),
                "--pages", places.stream().map(place -> "" + place.page()).collect(Collectors.joining(",")))
                .redirectError(folder.resolve("node-" + running.size() + ".err").toFile()).start();
        var says = process.inputReader();
        var first = says.readLine();
        if (first == null || !first.startsWith("node ")) {
            process.destroyForcibly();
            throw new IOException("a node did not start: " + first);
        }
        running.put(first.substring("node ".length(), first.indexOf(':')), process);
        // A full pipe would stop it.
        Thread.ofVirtual().start(() -> says.lines().forEach(line -> {
        }));
    }

    /** Waits until a process has ended, and returns what it ended with. */
    int awaitEnd(String name) throws InterruptedException {
        return running.remove(name).waitFor();
    }

    @Override
    public void close() {
        running.values().forEach(process -> process.destroyForcibly().onExit().join());
    }
}
