package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes share durable accounts, in one PostgreSQL. Clients pay and deposit, and nodes are killed, frozen, and restarted. */
@Tag("thorough")
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class DurableProcessesTest {
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private int starts;

    @TempDir
    private Path folder;

    private NodeProcess start(String name, String url) throws IOException {
        var port = ports.get("abc".indexOf(name));
        var hosts = String.join(",", ports.stream().map(each -> "127.0.0.1:" + each).toList());
        // A client's ids are its own.
        var node = new NodeProcess(name,
                List.of(DurableNode.class.getName(), name + starts++, "" + port, hosts, url), folder);
        nodes.add(node);
        return node;
    }

    @AfterEach
    void kill() {
        nodes.forEach(NodeProcess::kill);
    }

    private static void awaitMore(NodeProcess node) throws Exception {
        var before = node.ask("count");
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (node.ask("count").equals(before)) {
            assertThat(System.nanoTime()).as("nothing is acknowledged for a minute").isLessThan(end);
        }
    }

    @Test
    void eachAccountHasWhatWasAcknowledgedThoughNodesAreKilledAndFrozen() throws Exception {
        try (var server = EmbeddedPostgres.builder().setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on").start()) {
            disturb(server.getJdbcUrl("postgres", "postgres"));
        }
    }

    private void disturb(String url) throws Exception {
        ports.addAll(Ports.free(3));
        for (var each : List.of("a", "b", "c")) {
            start(each, url);
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
        for (int fault = 0; fault < 3; fault++) {
            nodes.remove(2).kill();
            awaitMore(a);
            awaitMore(b);
            var c = start("c", url);
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
