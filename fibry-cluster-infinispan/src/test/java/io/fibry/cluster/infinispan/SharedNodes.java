package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.infinispan.AskHistory.Ask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Processes that share actors, with what they were asked. All have the same settings, but for the name. */
final class SharedNodes implements AutoCloseable {
    /** What was asked while something happened: numbers of asks, and the longest one, and that of one in a thousand. */
    record Asked(long answered, long uncertain, long longestMillis, long thousandthMillis, String failures) {
        private static Asked of(String answer) {
            var words = answer.split(" ", 5);
            return new Asked(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
                    Long.parseLong(words[3]), words[4]);
        }
    }

    private final Path folder;
    private final Map<String, String> settings;
    private final List<String> options = new ArrayList<>();
    private final Map<String, NodeProcess> nodes = new HashMap<>();
    private final List<Path> histories = new ArrayList<>();

    SharedNodes(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /** Nodes of this machine that were given nothing but a list of all of them. */
    static SharedNodes ofThisMachine(Path folder, int size) throws IOException {
        return new SharedNodes(folder, Map.of("FIBRY_CLUSTER",
                String.join(",", Ports.free(size).stream().map(each -> "127.0.0.1:" + each).toList())));
    }

    void option(String jvm) {
        options.add(jvm);
    }

    String cluster() {
        return settings.get("FIBRY_CLUSTER");
    }

    NodeProcess start(String name) throws IOException {
        return start(name, Map.of(), List.of());
    }

    NodeProcess start(String name, Map<String, String> more, List<String> prefix) throws IOException {
        var environment = new HashMap<>(settings);
        environment.put("FIBRY_NODE", name);
        environment.putAll(more);
        var node = new NodeProcess(name, environment, prefix, options, folder);
        nodes.put(name, node);
        return node;
    }

    NodeProcess node(String name) {
        return nodes.get(name);
    }

    /** The node is not asked any more. */
    NodeProcess forget(String name) {
        return nodes.remove(name);
    }

    void remember(NodeProcess node) {
        nodes.put(node.name(), node);
    }

    /** Starts nodes at the same time, and waits until they share all keys. */
    void startAll(String names) throws Exception {
        var started = new ArrayList<NodeProcess>();
        for (var each : names.split("")) {
            started.add(start(each));
        }
        for (var each : started) {
            assertThat(each.awaitReady()).as(each.log()).doesNotContain("!");
        }
        awaitSpread(names);
    }

    /** Waits until exactly these answer, the same ones for the same keys to each node that is left. */
    void awaitSpread(String names) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        var answers = new ArrayList<String>();
        do {
            answers.clear();
            for (var each : nodes.values()) {
                answers.add(each.ask("spread"));
            }
            assertThat(System.nanoTime()).as("after a minute %s", answers).isLessThan(end);
        } while (answers.stream().distinct().count() > 1 || !names.equals(
                answers.getFirst().chars().sorted().distinct().mapToObj(Character::toString).reduce("",
                        String::concat)));
    }

    /** Lets nodes ask. */
    void begin(String names, int perSecond) throws Exception {
        for (var each : names.split("")) {
            assertThat(nodes.get(each).ask("begin " + perSecond)).isEqualTo("begun");
        }
    }

    /** Ends the asking of nodes, of which none may have failed in another way than to be uncertain; returns what they say. */
    List<Asked> end(String what, String names) throws Exception {
        var all = new ArrayList<Asked>();
        for (var each : names.split("")) {
            var history = folder.resolve("history-" + histories.size());
            histories.add(history);
            var asked = Asked.of(nodes.get(each).ask("end " + history));
            System.out.println(what + ", " + each + ": " + asked);
            assertThat(asked.failures).as(() -> failed(what, history)).isEqualTo("{}");
            all.add(asked);
        }
        return all;
    }

    /** The asks that failed, with the times when they began and ended, and when those around them did. */
    private static String failed(String what, Path history) {
        try (Stream<String> lines = Files.lines(history)) {
            var asks = lines.map(Ask::of).sorted(Comparator.comparingLong(Ask::begin)).toList();
            var first = asks.getFirst().begin();
            var text = new StringBuilder(what);
            for (var each : asks) {
                if (!each.isAnswered()) {
                    text.append("\n").append(each.key()).append(" from ")
                            .append((each.begin() - first) / 1_000_000)
                            .append(" to ").append((each.end() - first) / 1_000_000).append(" ms ")
                            .append(each.outcome());
                }
            }
            return text.toString();
        } catch (IOException unread) {
            return what + ", " + unread;
        }
    }

    /** Checks what all nodes were answered that have ended. */
    void check() throws IOException {
        var asks = new ArrayList<Ask>();
        for (var each : histories) {
            try (Stream<String> lines = Files.lines(each)) {
                lines.map(Ask::of).forEach(asks::add);
            }
        }
        assertThat(asks).isNotEmpty();
        assertThat(AskHistory.faults(asks)).isEmpty();
    }

    @Override
    public void close() {
        nodes.values().forEach(NodeProcess::kill);
    }
}
