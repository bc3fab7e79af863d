package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.testing.Promise;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes, each in a network of its own, share actors by TLS and a database, and are asked while these networks fail. */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NetworkTrialTest {
    private static final int NODES = 3;
    private static final String ALL = "abc";

    private static EmbeddedPostgres server;

    @TempDir
    private Path folder;

    private DatabaseProxy proxy;
    private SharedNodes nodes;

    /** Does something to the network of a node. */
    private interface Harm {
        void on(int index) throws IOException;
    }

    @BeforeAll
    static void startServer() throws Exception {
        assumeTrue(Namespaces.canBeMade(), "network namespaces need root");
        server = EmbeddedPostgres.builder().start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        Namespaces.open(NODES);
        proxy = new DatabaseProxy(InetAddress.getByName(Namespaces.ownHost()), server.getPort());
        nodes = new SharedNodes(folder,
                Map.of("FIBRY_CLUSTER", proxy.through(server.getJdbcUrl("postgres", "postgres")),
                        "FIBRY_CLUSTER_NAME", folder.getFileName().toString()));
        for (int i = 0; i < NODES; i++) {
            startIn(i);
        }
        for (var each : ALL.split("")) {
            assertThat(nodes.node(each).awaitReady()).doesNotContain("!");
        }
        nodes.awaitSpread(ALL);
    }

    @Promise("92.9")
    @Test
    void nodesThatOthersReachTalkByTls() throws Exception {
        var rows = new ArrayList<String>();
        try (var connection = server.getPostgresDatabase().getConnection();
                var query = connection.prepareStatement(
                        "SELECT address FROM fibry_cluster_nodes WHERE cluster = ? ORDER BY address")) {
            query.setString(1, folder.getFileName().toString());
            try (var found = query.executeQuery()) {
                while (found.next()) {
                    rows.add(found.getString(1));
                }
            }
        }
        assertThat(rows).hasSize(NODES);
        for (int i = 0; i < NODES; i++) {
            assertThat(rows.get(i)).matches(Namespaces.host(i) + ":\\d+ sha256=[0-9a-f]{64}");
            var port = Integer.parseInt(rows.get(i).replaceFirst(".*:(\\d+) .*", "$1"));
            try (var plain = new Socket(Namespaces.host(i), port)) {
                plain.getOutputStream().write(new byte[1_000]);
                assertThatThrownBy(() -> {
                    if (plain.getInputStream().read() < 0) {
                        throw new EOFException();
                    }
                }).as("a node answers plain text").isInstanceOf(IOException.class);
            }
        }
        nodes.begin(ALL, 200);
        nodes.awaitSpread(ALL);
        assertThat(nodes.end("strangers", ALL)).allMatch(each -> each.uncertain() == 0);
        nodes.check();
    }

    /** Starts a node, which encrypts, since others reach its address. */
    private NodeProcess startIn(int index) throws IOException {
        return nodes.start(ALL.substring(index, index + 1), Map.of("FIBRY_HOST", Namespaces.host(index)),
                Namespaces.prefix(index));
    }

    @AfterEach
    void close() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
        if (proxy != null) {
            proxy.close();
        }
        Namespaces.close(NODES);
    }

    /** The one that is cut off refuses, and comes back. */
    @Promise("92.1")
    @Test
    void aNodeThatIsCutOffRefusesAndComesBack() throws Exception {
        cutOff("cut", Namespaces::cut, Namespaces::heal);
    }

    /** It hears the others and the database, and nobody hears it. */
    @Promise("92.1")
    @Test
    void aNodeThatIsNotHeardRefusesAndComesBack() throws Exception {
        assumeTrue(Namespaces.canControlTraffic(), "there is no tc");
        cutOff("one-way cut", Namespaces::mute, Namespaces::unmute);
    }

    private void cutOff(String what, Harm cut, Harm heal) throws Exception {
        nodes.begin(ALL, 200);
        var c = nodes.forget("c");
        var begin = System.nanoTime();
        cut.on(2);
        nodes.awaitSpread("ab");
        SharedNodes.awaitRefusal(c);
        assertThat(c.ask("spread")).contains("NotHandledException");
        heal.on(2);
        nodes.remember(c);
        nodes.awaitSpread(ALL);
        nodes.leaseWasOver(c, begin);
        for (var each : ALL.split("")) {
            nodes.endOne(what, each);
        }
        nodes.check();
    }

    /** Both reach the database, so one of the two has to go, and comes back when they hear each other. */
    @Promise("92.4")
    @Test
    void oneOfTwoNodesThatDoNotHearEachOtherHasToGoAndComesBack() throws Exception {
        nodes.begin(ALL, 200);
        var begin = System.nanoTime();
        Namespaces.part(1, 2);
        var gone = awaitRefusalOf("b", "c");
        var isGone = nodes.forget(gone);
        nodes.awaitSpread(ALL.replace(gone, ""));
        Namespaces.join(1, 2);
        nodes.remember(isGone);
        nodes.awaitSpread(ALL);
        nodes.leaseWasOver(isGone, begin);
        for (var each : ALL.split("")) {
            nodes.endOne("two do not hear each other", each);
        }
        nodes.check();
    }

    /** Waits until one of two nodes serves nothing, and returns its name. */
    private String awaitRefusalOf(String one, String other) throws Exception {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            for (var each : List.of(one, other)) {
                if (nodes.node(each).ask("serves").equals("false")) {
                    return each;
                }
            }
            assertThat(System.nanoTime()).as("%s and %s go on", one, other).isLessThan(end);
        }
    }

    @Promise("92.3")
    @Test
    void nodesThatHearNothingServeNothingAndComeBack() throws Exception {
        nodes.begin(ALL, 200);
        var begin = System.nanoTime();
        for (int i = 0; i < NODES; i++) {
            Namespaces.cut(i);
        }
        for (var each : ALL.split("")) {
            SharedNodes.awaitRefusal(nodes.node(each));
        }
        for (int i = 0; i < NODES; i++) {
            Namespaces.heal(i);
        }
        nodes.awaitSpread(ALL);
        for (var each : ALL.split("")) {
            nodes.leaseWasOver(nodes.node(each), begin);
            assertThat(nodes.endOne("all cut off", each).failures()).contains("NOT_SERVED");
        }
        nodes.check();
    }

    /** Some of the cuts last so long that the others lose the node. */
    @Test
    void aNodeThatIsCutOffAgainAndAgainComesBack() throws Exception {
        var seed = Long.getLong("trial.seed", System.nanoTime());
        System.out.println("-Dtrial.seed=" + seed);
        var random = new Random(seed);
        nodes.begin(ALL, 200);
        var begin = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            Namespaces.cut(2);
            TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(i % 3 == 2 ? 9000 : 2000)); // how long it is cut off
            Namespaces.heal(2);
            TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(2000)); // how long it is not
        }
        nodes.awaitSpread(ALL);
        nodes.leaseWasOver(nodes.node("c"), begin);
        for (var each : ALL.split("")) {
            nodes.endOne("cuts", each);
        }
        nodes.begin(ALL, 200);
        nodes.awaitSpread(ALL);
        assertThat(nodes.end("after the cuts", ALL)).allMatch(each -> each.uncertain() == 0);
        nodes.check();
    }

    /** TCP sends lost packets again, so keys move, and nothing is uncertain. */
    @Test
    void packetsThatAreLostLoseNoMessage() throws Exception {
        assumeTrue(Namespaces.canControlTraffic(), "there is no tc");
        for (int i = 0; i < NODES; i++) {
            Namespaces.lose(i, 1);
        }
        nodes.begin("ab", 500);
        for (int round = 0; round < 2; round++) {
            var c = nodes.forget("c");
            assertThat(c.ask("leave")).isEqualTo("true");
            c.kill();
            nodes.awaitSpread("ab");
            assertThat(startIn(2).awaitReady()).doesNotContain("!");
            nodes.awaitSpread(ALL);
        }
        assertThat(nodes.end("one packet of a hundred is lost", "ab"))
                .allMatch(each -> each.uncertain() == 0);
        nodes.check();
    }
}
