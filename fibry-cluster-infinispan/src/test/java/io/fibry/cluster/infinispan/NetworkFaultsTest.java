package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.cluster.trial.NodeProcess;
import io.fibry.cluster.trial.SharedNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes share actors, each in a network of its own, and are asked while these networks fail. */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NetworkFaultsTest {
    private static final int NODES = 3;

    @TempDir
    private Path folder;

    private SharedNodes nodes;

    /** Does something to the network of a node. */
    private interface Harm {
        void on(int index) throws IOException;
    }

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Namespaces.canBeMade(), "network namespaces need root");
        var hosts = new ArrayList<String>();
        for (int i = 0; i < NODES; i++) {
            hosts.add(Namespaces.host(i) + ":7800");
        }
        nodes = new SharedNodes(folder,
                Map.of("FIBRY_CLUSTER", String.join(",", hosts), "FIBRY_TRUSTED_NETWORK", "true"));
        Namespaces.open(NODES);
        for (int i = 0; i < NODES; i++) {
            startIn(i);
        }
        for (var each : List.of("a", "b", "c")) {
            assertThat(nodes.node(each).awaitReady()).doesNotContain("!");
        }
        nodes.awaitSpread("abc");
    }

    /** Starts a node, which finds its address in the list. */
    private NodeProcess startIn(int index) throws IOException {
        return nodes.start("abc".substring(index, index + 1), Map.of(), Namespaces.prefix(index));
    }

    @AfterEach
    void close() throws IOException {
        if (Namespaces.canBeMade()) {
            nodes.close();
            Namespaces.close(NODES);
        }
    }

    /** The one that is cut off refuses, and comes back. */
    @Test
    void aNodeThatIsCutOffRefusesAndComesBack() throws Exception {
        cutOff("cut", Namespaces::cut, Namespaces::heal);
    }

    /** It hears the others until they have lost it. */
    @Test
    void aNodeThatIsNotHeardRefusesAndComesBack() throws Exception {
        assumeTrue(Namespaces.canMute(), "there is no tc");
        cutOff("one-way cut", Namespaces::mute, Namespaces::unmute);
    }

    private void cutOff(String what, Harm cut, Harm heal) throws Exception {
        nodes.begin("abc", 200);
        var c = nodes.forget("c");
        var begin = System.nanoTime();
        cut.on(2);
        nodes.awaitSpread("ab");
        SharedNodes.awaitRefusal(c);
        assertThat(c.ask("spread")).contains("NotHandledException");
        heal.on(2);
        nodes.remember(c);
        nodes.awaitSpread("abc");
        nodes.wasAway(c, begin);
        nodes.end(what, "ab");
        assertThat(nodes.endOne(what, "c").failures()).contains("NOT_SERVED");
        nodes.check();
    }

    @Test
    void nodesThatDoNotHearEachOtherServeNothingAndComeBack() throws Exception {
        nodes.begin("abc", 200);
        var begin = System.nanoTime();
        for (int i = 0; i < NODES; i++) {
            Namespaces.cut(i);
        }
        for (var each : List.of("a", "b", "c")) {
            SharedNodes.awaitRefusal(nodes.node(each));
        }
        for (int i = 0; i < NODES; i++) {
            Namespaces.heal(i);
        }
        nodes.awaitSpread("abc");
        for (var each : List.of("a", "b", "c")) {
            nodes.wasAway(nodes.node(each), begin);
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
        nodes.begin("abc", 200);
        var begin = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            Namespaces.cut(2);
            TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(i % 3 == 2 ? 9000 : 2000));
            Namespaces.heal(2);
            TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(2000));
        }
        nodes.awaitSpread("abc");
        nodes.wasAway(nodes.node("c"), begin);
        for (var each : List.of("a", "b", "c")) {
            var unused = nodes.endOne("cuts", each);
        }
        nodes.begin("abc", 200);
        nodes.awaitSpread("abc");
        assertThat(nodes.end("after the cuts", "abc")).allMatch(each -> each.uncertain() == 0);
        nodes.check();
    }

    /** TCP sends lost packets again, so keys move, and nothing is uncertain. */
    @Test
    void packetsThatAreLostLoseNoMessage() throws Exception {
        assumeTrue(Namespaces.canLose(), "there is no nft");
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
            nodes.awaitSpread("abc");
        }
        assertThat(nodes.end("one packet of a hundred is lost", "ab"))
                .allMatch(each -> each.uncertain() == 0);
        nodes.check();
    }
}
