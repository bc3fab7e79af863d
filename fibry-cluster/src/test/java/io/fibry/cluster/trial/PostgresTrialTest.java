package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.SourceMutant;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that have a database of PostgreSQL in common. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PostgresTrialTest {
    private static EmbeddedPostgres server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT)
                .setServerConfig("fsync", "on").setServerConfig("synchronous_commit", "on").start();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static Map<String, String> environment(String cluster) {
        return Map.of("FIBRY_CLUSTER", server.getJdbcUrl("postgres", "postgres"), "FIBRY_CLUSTER_NAME",
                cluster);
    }

    @Test
    @Tag("thorough")
    void eachFaultOnce() throws Exception {
        try (var nodes = new SharedNodes(folder, environment("shared"))) {
            SharedFaults.run(nodes, new Random(3), List.of(SharedFaults.Fault.values()));
        }
    }

    @Test
    void eachAccountHasWhatWasAcknowledged() throws Exception {
        try (var faults = new DurableFaults(folder, server.getJdbcUrl("postgres", "postgres"),
                name -> environment("durable"))) {
            faults.run(2);
        }
    }

    /** Shorter than a lease, it is not noticed. After a longer one nobody serves, and all go on when it is back. */
    @Promise("92.3")
    @Tag("thorough")
    @Test
    void theDatabaseMayBeAway() throws Exception {
        try (var proxy = new DatabaseProxy(server.getPort());
                var nodes = new SharedNodes(folder,
                        Map.of("FIBRY_CLUSTER", proxy.through(server.getJdbcUrl("postgres", "postgres")),
                                "FIBRY_CLUSTER_NAME", "away"))) {
            nodes.startAll("abc");
            nodes.begin("abc", 100);
            proxy.away(true);
            TimeUnit.MILLISECONDS.sleep(300); // how long it is away
            proxy.away(false);
            nodes.awaitSpread("abc");
            assertThat(nodes.end("a moment without the database", "abc"))
                    .allMatch(each -> each.uncertain() == 0);
            nodes.begin("abc", 100);
            var begin = System.nanoTime();
            proxy.away(true);
            for (var each : List.of("a", "b", "c")) {
                SharedNodes.awaitRefusal(nodes.node(each));
            }
            proxy.away(false);
            nodes.awaitSpread("abc");
            for (var each : List.of("a", "b", "c")) {
                nodes.leaseWasOver(nodes.node(each), begin);
                nodes.endOne("without the database", each);
            }
            nodes.check();
        }
    }

    @Promise("92.1")
    @Tag("thorough")
    @Test
    void aNodeThatDoesNotReachTheDatabaseEndsBeforeOthersTakeOver() throws Exception {
        isolateOne(folder, "isolated", List.of());
    }

    /** The checker is worth something: a node that serves for six seconds more is found. */
    @Tag("thorough")
    @Test
    void aLeaseThatOverrunsIsFound() throws Exception {
        var mutant = new SourceMutant("lease-overruns",
                Path.of("src/main/java/io/fibry/cluster/database/Lease.java"),
                "length.toNanos() / MARGIN;", "length.toNanos() / MARGIN + 6_000_000_000L;",
                PostgresTrialTest.class, "none");
        var mistaken = Files.createDirectory(folder.resolve("mistaken"));
        mutant.compile(mistaken);
        assertThatThrownBy(() -> isolateOne(folder, "mistaken",
                List.of("-cp", mistaken + File.pathSeparator + System.getProperty("java.class.path"))))
                .isInstanceOf(AssertionError.class).hasMessageContaining("two actors at a time");
    }

    /** Cuts one of three nodes off from the database alone, until the others have taken over, and for a while. All ask and tell. */
    private static void isolateOne(Path folder, String cluster, List<String> options) throws Exception {
        var url = server.getJdbcUrl("postgres", "postgres");
        try (var proxy = new DatabaseProxy(server.getPort());
                var nodes = new SharedNodes(folder, environment(cluster))) {
            options.forEach(nodes::option);
            var started = List.of(nodes.start("a"), nodes.start("b"),
                    nodes.start("c", Map.of("FIBRY_CLUSTER", proxy.through(url)), List.of()));
            for (var each : started) {
                assertThat(each.awaitReady()).doesNotContain("!");
            }
            nodes.awaitSpread("abc");
            nodes.begin("abc", 200);
            var begin = System.nanoTime();
            proxy.away(true);
            var isolated = nodes.forget("c");
            nodes.awaitSpread("ab");
            TimeUnit.SECONDS.sleep(2); // in which one that overruns is asked by itself
            proxy.away(false);
            nodes.remember(isolated);
            nodes.awaitSpread("abc");
            nodes.leaseWasOver(isolated, begin);
            for (var each : List.of("a", "b", "c")) {
                nodes.endOne("isolated", each);
            }
            nodes.check();
        }
    }

    /** A server of its own, which each process reaches through a proxy of its own. */
    private static final class PostgresStore implements EffectTrial.Store {
        private static final String PARENT = "parent";
        private final Path data;
        private final Map<String, DatabaseProxy> proxies = new HashMap<>();
        private final String url;
        private EmbeddedPostgres own;

        PostgresStore(Path data) throws IOException {
            this.data = data;
            own = open(0);
            url = own.getJdbcUrl("postgres", "postgres");
            proxies.put(PARENT, new DatabaseProxy(own.getPort()));
        }

        private EmbeddedPostgres open(int port) throws IOException {
            var builder = EmbeddedPostgres.builder().setPGStartupWait(Patience.LIMIT)
                    .setServerConfig("fsync", "on").setServerConfig("synchronous_commit", "on")
                    .setDataDirectory(data).setCleanDataDirectory(false);
            return (port == 0 ? builder : builder.setPort(port)).start();
        }

        @Override
        public String url() {
            return proxies.get(PARENT).through(url);
        }

        @Override
        public String url(String node) throws IOException {
            var proxy = new DatabaseProxy(own.getPort());
            proxies.put(node, proxy);
            return proxy.through(url);
        }

        @Override
        public boolean cut(String node, boolean isCut) throws IOException {
            proxies.get(node).away(isCut);
            return true;
        }

        @Override
        public void away(long millis) throws Exception {
            for (var each : proxies.values()) {
                each.away(true);
            }
            TimeUnit.MILLISECONDS.sleep(millis);
            for (var each : proxies.values()) {
                each.away(false);
            }
        }

        /** As "pg_ctl stop -m immediate" does. */
        @Override
        public boolean stop() throws Exception {
            var pid = Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip());
            var process = ProcessHandle.of(pid).orElseThrow();
            assertThat(new ProcessBuilder("kill", "-QUIT", "" + pid).start().waitFor()).isZero();
            process.onExit().get(1, TimeUnit.MINUTES);
            var port = own.getPort();
            own.close();
            own = open(port);
            return true;
        }

        @Override
        public void close() throws IOException {
            for (var each : proxies.values()) {
                each.close();
            }
            own.close();
        }
    }

    @LogsErrors(always = false) // by the embedded server, if a fault has stopped it
    @Promise({"92.1", "92.2", "92.3", "92.5"})
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void effectsOutliveFaults() throws Exception {
        try (var store = new PostgresStore(folder.resolve("data"))) {
            EffectTrial.run(folder, store, 5);
        }
    }

    @LogsErrors(always = false) // as above
    @Tag("thorough")
    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void effectsOutliveManyFaults() throws Exception {
        try (var store = new PostgresStore(folder.resolve("data"))) {
            EffectTrial.run(folder, store, 200);
        }
    }

    /** The checker is worth something: without the fence, a turn that was frozen writes behind the next home. */
    @Tag("thorough")
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void effectsWithoutAFenceAreFound() throws Exception {
        try (var store = new PostgresStore(folder.resolve("data"))) {
            assertThat(EffectTrial.freezes(folder, store, false, List.of()))
                    .anyMatch(each -> each.startsWith("of two homes"));
        }
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaults() throws Exception {
        try (var nodes = new SharedNodes(folder, environment("many"))) {
            SharedFaults.many(nodes);
        }
    }
}
