package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.AskHistory.Ask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Processes that share actors, with what they were asked. All have the same settings, but for the name. */
public final class SharedNodes implements AutoCloseable {
    /** What was asked and told while something happened: numbers of messages, and the longest ask, and that of one in a thousand. */
    public record Asked(long answered, long told, long uncertain, long longestMillis, long thousandthMillis,
            String failures) {
        private static Asked of(String answer) {
            var words = answer.split(" ", 6);
            return new Asked(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
                    Long.parseLong(words[3]), Long.parseLong(words[4]), words[5]);
        }
    }

    private final Path folder;
    private final Map<String, String> settings;
    private final List<String> options = new ArrayList<>();
    private final Map<String, NodeProcess> nodes = new HashMap<>();
    private final List<Path> logs = new ArrayList<>();
    /** What the logs call each process. */
    private final Map<NodeProcess, String> processes = new HashMap<>();
    private final Deliveries deliveries = new Deliveries();

    public SharedNodes(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.settings = settings;
    }

    public void option(String jvm) {
        options.add(jvm);
    }

    public String cluster() {
        return settings.get("FIBRY_CLUSTER");
    }

    public NodeProcess start(String name) throws IOException {
        return start(name, Map.of(), List.of());
    }

    public NodeProcess start(String name, Map<String, String> more, List<String> prefix) throws IOException {
        var environment = new HashMap<>(settings);
        environment.put("FIBRY_NODE", name);
        environment.putAll(more);
        var log = folder.resolve(name + logs.size());
        logs.add(log);
        var node = new NodeProcess(name, log, environment, prefix, options, folder);
        nodes.put(name, node);
        processes.put(node, log.getFileName().toString());
        return node;
    }

    public NodeProcess node(String name) {
        return nodes.get(name);
    }

    /** The node is not asked any more. */
    public NodeProcess forget(String name) {
        return nodes.remove(name);
    }

    public void remember(NodeProcess node) {
        nodes.put(node.name(), node);
    }

    /** The node has been frozen or cut off since a time, and takes part again. */
    public void wasAway(NodeProcess node, long begin) {
        deliveries.away(processes.get(node), begin, System.nanoTime());
    }

    /** The lease of the node was over, at some time since this one, and it takes part again. */
    public void leaseWasOver(NodeProcess node, long begin) {
        deliveries.leaseOver(processes.get(node), begin, System.nanoTime());
    }

    /** Kills a node that others may have sent messages to, and returns how long it was until those that are left have answered for all keys. */
    public Duration kill(String name, String left) throws Exception {
        var node = forget(name);
        var begin = System.nanoTime();
        node.kill();
        deliveries.killed(processes.get(node), begin, System.nanoTime());
        awaitSpread(left);
        var took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.println("all keys are served " + took.toMillis() + " ms after a kill of " + name);
        return took;
    }

    /** Starts nodes at the same time, and waits until they share all keys. */
    public void startAll(String names) throws Exception {
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
    public void awaitSpread(String names) throws Exception {
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

    /** Waits until a node has noticed that it does not see the majority. */
    public static void awaitRefusal(NodeProcess node) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (node.ask("serves").equals("true")) {
            assertThat(System.nanoTime()).as("%s goes on", node).isLessThan(end);
        }
    }

    /** Waits until the load of a node has been held up for so long by what it sends. */
    public void awaitWait(String name, long millis) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (Long.parseLong(nodes.get(name).ask("sending")) < millis) {
            assertThat(System.nanoTime()).as("%s is not held up", name).isLessThan(end);
        }
    }

    /** Lets nodes ask and tell. */
    public void begin(String names, int perSecond) throws Exception {
        for (var each : names.split("")) {
            assertThat(nodes.get(each).ask("begin " + perSecond)).isEqualTo("begun");
        }
    }

    /** Ends the load of nodes, of which nothing may have failed in another way than to be uncertain; returns what they say. */
    public List<Asked> end(String what, String names) throws Exception {
        var all = new ArrayList<Asked>();
        for (var each : names.split("")) {
            var asked = endOne(what, each);
            assertThat(asked.failures).as("%s, %s", what, each).isEqualTo("{}");
            all.add(asked);
        }
        return all;
    }

    /** Ends the load of a node, whatever has failed. */
    public Asked endOne(String what, String name) throws Exception {
        var answer = nodes.get(name).ask("end");
        assertThat(answer).as("%s, %s", what, name).doesNotStartWith("!");
        var asked = Asked.of(answer);
        System.out.println(what + ", " + name + ": " + asked);
        return asked;
    }

    /** Checks, once and at the end, what all nodes have sent, handled and been told. They have ended their loads. */
    public void check() throws IOException {
        for (var each : logs) {
            deliveries.read(each);
        }
        var faults = deliveries.faults();
        System.out.println(deliveries.figures());
        assertThat(faults).isEmpty();
        var asks = deliveries.asks();
        assertThat(asks).anyMatch(Ask::isAnswered);
        assertThat(AskHistory.faults(asks)).isEmpty();
    }

    @Override
    public void close() {
        nodes.values().forEach(NodeProcess::kill);
    }
}
