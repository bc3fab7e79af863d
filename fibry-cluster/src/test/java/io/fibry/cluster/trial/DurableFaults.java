package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Three processes share durable accounts, in one PostgreSQL. Clients pay and deposit, and nodes are killed, frozen, and restarted. */
public final class DurableFaults implements AutoCloseable {
    private final Path folder;
    private final String store;
    private final Function<String, Map<String, String>> environment;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private int starts;

    /**
     * Makes an object without processes.
     *
     * @param store the URL of the store
     * @param environment what a node of a name has in its environment
     */
    public DurableFaults(Path folder, String store, Function<String, Map<String, String>> environment) {
        this.folder = folder;
        this.store = store;
        this.environment = environment;
    }

    private NodeProcess start(String name) throws IOException {
        // A client's ids are its own.
        var node = new NodeProcess(name, List.of(DurableNode.class.getName(), name + starts++, store),
                environment.apply(name), folder);
        nodes.add(node);
        return node;
    }

    @Override
    public void close() {
        nodes.forEach(NodeProcess::kill);
    }

    private static void awaitMore(NodeProcess node) throws Exception {
        var before = node.ask("count");
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (node.ask("count").equals(before)) {
            assertThat(System.nanoTime()).as("nothing is acknowledged for a minute").isLessThan(end);
        }
    }

    /** Kills and freezes a node so often, and compares what each account has with what was acknowledged. */
    public void run(int faults) throws Exception {
        for (var each : List.of("a", "b", "c")) {
            start(each);
        }
        for (var each : nodes) {
            each.awaitReady();
        }
        var a = nodes.get(0);
        var b = nodes.get(1);
        for (var each : nodes) {
            awaitLive(each);
        }
        for (var each : List.of(a, b)) {
            assertThat(each.ask("begin")).isEqualTo("begun");
            awaitMore(each);
        }
        for (int fault = 0; fault < faults; fault++) {
            nodes.remove(2).kill();
            awaitMore(a);
            awaitMore(b);
            var c = start("c");
            c.awaitReady();
            awaitLive(c);
            awaitMore(a);
            c.signal("STOP");
            awaitMore(a);
            awaitMore(b);
            c.signal("CONT");
            awaitMore(a);
        }
        var expected = new long[DurableNode.KEYS];
        for (var each : List.of(a, b)) {
            var sums = each.ask("end").split(" ");
            for (int key = 0; key < expected.length; key++) {
                expected[key] += Long.parseLong(sums[key]);
            }
        }
        var all = new StringBuilder();
        for (var sum : expected) {
            all.append(sum).append(' ');
        }
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        String balances;
        do {
            balances = a.ask("balances");
            assertThat(System.nanoTime()).as("balances %s, acknowledged %s", balances, all)
                    .isLessThan(end);
        } while (!balances.contentEquals(all.toString().strip()));
        System.out.println("durable: acknowledged and there: " + balances);
    }

    private static void awaitLive(NodeProcess node) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        do {
            node.ask("balances");
            assertThat(System.nanoTime()).as("%s is the home of no account", node).isLessThan(end);
        } while (node.ask("live").equals("0"));
    }
}
