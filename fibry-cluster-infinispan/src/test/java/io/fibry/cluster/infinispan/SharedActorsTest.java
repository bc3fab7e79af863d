package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.SharedNodes;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes share actors, and are asked while nodes come, go, die and freeze. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SharedActorsTest {
    @TempDir
    private Path folder;

    /** All have the same settings, and start at the same time: each takes a port that is free. */
    @Promise("83.8")
    @Test
    void aNodeThatIsKilledAndOneThatLeaves() throws Exception {
        try (var nodes = Ports.nodes(folder, 3)) {
            nodes.startAll("abc");
            assertThat(nodes.node("a").ask("members")).isEqualTo("abc");
            nodes.begin("ab", 200);
            nodes.kill("c", "ab");
            nodes.end("kill -9", "ab");

            nodes.begin("a", 200);
            var b = nodes.forget("b");
            assertThat(b.ask("leave")).isEqualTo("true");
            nodes.awaitSpread("a");
            assertThat(nodes.end("leave", "a")).allMatch(each -> each.uncertain() == 0);
            b.kill();
            nodes.check();
        }
    }

    /** A process that ends is noticed by the end of its connections, without a second port. */
    @Promise("83.9")
    @Test
    @Tag("thorough")
    void nodesWithCertificatesAreKilled() throws Exception {
        var file = KeyStores.make(folder, "ours").toString();
        try (var nodes = Ports.nodes(folder, 3, Map.of("FIBRY_TLS_KEYS", file,
                "FIBRY_TLS_TRUSTED", file, "FIBRY_TLS_PASSWORD", KeyStores.PASSWORD))) {
            nodes.startAll("abc");
            var took = new ArrayList<Duration>();
            for (var name : List.of("c", "a", "b")) {
                var others = "abc".replace(name, "");
                nodes.begin(others, 200);
                took.add(nodes.kill(name, others));
                nodes.end("kill -9 with certificates", others);
                assertThat(nodes.start(name).awaitReady()).doesNotContain("!");
                nodes.awaitSpread("abc");
            }
            assertThat(took).allMatch(each -> each.compareTo(Duration.ofSeconds(10)) < 0);
            // So it was not its silence that was noticed.
            assertThat(took).anyMatch(each -> each.compareTo(Duration.ofSeconds(5)) < 0);
            nodes.check();
        }
    }

    /** It stops again and again, too shortly to be lost. Senders to its keys wait when as much is underway as may be, and nobody else does. */
    @Test
    @Tag("thorough")
    void aNodeThatReadsSlowlyHoldsUpMessagesToItsOwnKeysAlone() throws Exception {
        try (var nodes = Ports.nodes(folder, 3)) {
            nodes.option("-Dshared.sendBuffer=10000");
            nodes.startAll("abc");
            nodes.begin("ab", 1000);
            var c = nodes.node("c");
            for (int i = 0; i < 5; i++) {
                c.signal("STOP");
                try {
                    for (var each : List.of("a", "b")) {
                        nodes.awaitWait(each, 200);
                        assertThat(Long.parseLong(nodes.node(each).ask("others c"))).isLessThan(1000);
                    }
                } finally {
                    c.signal("CONT");
                }
                nodes.awaitSpread("abc");
            }
            assertThat(nodes.end("a slow reader", "ab")).allMatch(each -> each.uncertain() == 0);
            nodes.check();
        }
    }

    /** Asks of workers go on when a node is killed that has some of them, since they may be repeated. */
    @Test
    void workersAndSubscribersOfThreeProcesses() throws Exception {
        try (var nodes = Ports.nodes(folder, 3)) {
            nodes.startAll("abc");
            assertThat(nodes.node("a").ask("publish 100 3")).isEqualTo("[3]");
            assertThat(nodes.node("b").ask("publish 100 3")).isEqualTo("[3]");
            for (var name : List.of("a", "b", "c")) {
                assertThat(nodes.node(name).ask("read")).isEqualTo("{a=100, b=100}");
            }
            assertThat(nodes.node("a").ask("work 500")).contains("a=", "b=", "c=");
            nodes.forget("c").kill();
            assertThat(nodes.node("a").ask("work 500")).contains("a=", "b=");
            nodes.awaitSpread("ab");
            assertThat(nodes.node("a").ask("work 500")).contains("a=", "b=").doesNotContain("c=");
            assertThat(nodes.node("a").ask("publish 100 2")).isEqualTo("[2]");
        }
    }

    /** The others go on without it; when it is thawed it learns that, ends what it has, and takes part again. */
    @Promise("83.11")
    @Test
    @Tag("thorough")
    void aNodeThatIsFrozenComesBack() throws Exception {
        try (var nodes = Ports.nodes(folder, 3)) {
            nodes.startAll("abc");
            nodes.begin("abc", 200);
            var c = nodes.forget("c");
            var begin = System.nanoTime();
            c.signal("STOP");
            nodes.awaitSpread("ab");
            c.signal("CONT");
            nodes.remember(c);
            nodes.awaitSpread("abc");
            nodes.wasAway(c, begin);
            nodes.end("freeze", "ab");
            // While it does not serve it refuses.
            assertThat(nodes.endOne("freeze", "c").failures()).doesNotContain("Timeout");
            nodes.check();
        }
    }

    /** Each restart has an asker on each node that stays, 2,000 asks a second together. */
    @Promise("83.11")
    @Test
    @Tag("thorough")
    void allNodesAreRestartedOneAfterTheOther() throws Exception {
        try (var nodes = Ports.nodes(folder, 3)) {
            nodes.startAll("abc");
            for (var name : List.of("c", "b", "a")) {
                var old = nodes.forget(name);
                var others = "abc".replace(name, "");
                nodes.begin(others, 1000);
                assertThat(old.ask("leave")).isEqualTo("true");
                old.kill();
                assertThat(nodes.start(name).awaitReady()).doesNotContain("!");
                nodes.awaitSpread("abc");
                assertThat(nodes.end("restart of " + name, others)).allMatch(each -> each.uncertain() == 0);
            }
            nodes.check();
        }
    }

    @Test
    @Tag("thorough")
    void nodesJoinWhileOthersAsk() throws Exception {
        try (var nodes = Ports.nodes(folder, 5)) {
            nodes.startAll("abc");
            nodes.begin("abc", 600);
            for (var name : List.of("d", "e")) {
                assertThat(nodes.start(name).awaitReady()).doesNotContain("!");
            }
            nodes.awaitSpread("abcde");
            assertThat(nodes.end("two join", "abc")).allMatch(each -> each.uncertain() == 0);
            nodes.check();
        }
    }

    @Promise("83.11")
    @Test
    @Tag("thorough")
    void nodesThatAreFoundByDns() throws Exception {
        var names = Files.writeString(folder.resolve("hosts"),
                "127.0.0.2 bank.local\n127.0.0.3 bank.local\n127.0.0.4 bank.local\n");
        try (var nodes = new SharedNodes(folder,
                Map.of("FIBRY_CLUSTER", "dns:bank.local", "FIBRY_PORT", "" + Ports.free(1).getFirst(),
                        "FIBRY_MINIMUM",
                        "2"))) {
            nodes.option("-Djdk.net.hosts.file=" + names);
            for (int i = 0; i < 3; i++) {
                nodes.start("abc".substring(i, i + 1), Map.of("FIBRY_HOST", "127.0.0." + (i + 2)), List.of());
            }
            for (var each : List.of("a", "b", "c")) {
                assertThat(nodes.node(each).awaitReady()).doesNotContain("!");
            }
            nodes.awaitSpread("abc");
        }
    }
}
