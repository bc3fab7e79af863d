package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.cluster.History.Note;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a program can see of the homes. */
class HomesTest {
    private static final int SLICES = 16;

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final History history = new History();

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private KeyedActors<Integer, Note, String> notes(TestNode node) {
        return node.share(History.GROUP, key -> history.writer(node.cluster.self().name(), key));
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    private static List<Integer> counts(TestNode of, TestNode... homes) {
        return of.cluster.homes().stream().filter(each -> each.group().equals(History.GROUP.name()))
                .flatMap(each -> List.of(homes).stream().map(node -> each.countOf(node.cluster.self())))
                .toList();
    }

    @Promise("84.1")
    @Test
    void eachNodeSeesWhichNodeIsTheHomeOfEachSliceAndOfEachKey() throws Exception {
        var a = node("a");
        var b = node("b");
        var outside = node("outside");
        assertThat(outside.cluster.homes()).isEmpty();
        assertThat(outside.cluster.homeOf(History.GROUP, 1)).isEmpty();
        var first = notes(a);
        notes(b);
        soon().untilAsserted(() -> {
            for (var each : nodes) {
                assertThat(counts(each, a, b, outside)).containsExactly(SLICES / 2, SLICES / 2, 0);
            }
        });
        for (int key = 0; key < 50; key++) {
            var home = Waits.on(first.sendMessageReturn(new Note("x", key, 1)));
            for (var each : nodes) {
                assertThat(each.cluster.homeOf(History.GROUP, key)).map(ClusterNode::name).contains(home);
            }
        }
        assertThat(b.cluster.leave(Duration.ofSeconds(30))).isTrue();
        soon().untilAsserted(() -> {
            assertThat(counts(a, a, b)).containsExactly(SLICES, 0);
            assertThat(counts(outside, a, b)).containsExactly(SLICES, 0);
        });
        assertThat(b.cluster.homes()).allSatisfy(group -> assertThat(group.slices())
                .hasSize(SLICES).containsOnly(Optional.empty()));
        assertThat(b.cluster.homeOf(History.GROUP, 1)).isEmpty();
    }

    @Promise("84.1")
    @Test
    void theSlicesOfALostNodeHaveNoHomeUntilAnotherTakesThem() {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        notes(b);
        soon().untilAsserted(() -> assertThat(counts(a, b)).containsExactly(SLICES));
        network.kill(b.engine);
        b.isDead = true;
        for (var each : List.of(a, c)) {
            soon().untilAsserted(() -> assertThat(each.cluster.members()).hasSize(2));
            assertThat(counts(each, a, b, c)).containsExactly(0, 0, 0);
            assertThat(each.cluster.homeOf(History.GROUP, 1)).isEmpty();
        }
        var last = notes(c);
        soon().untilAsserted(() -> assertThat(counts(a, c)).containsExactly(SLICES));
        assertThat(last.stop(TestNode.LIMIT).stopped()).isTrue();
        soon().untilAsserted(
                () -> assertThat(counts(a, a, c)).as("no node shares the group").containsExactly(0, 0));
    }

    @Promise("84.2")
    @Test
    void theDumpOfAScopeHasTheNodesAndTheirSlices() {
        var a = node("a");
        var b = node("b");
        notes(a);
        notes(b);
        soon().untilAsserted(() -> assertThat(a.scope.dump().text()).contains("""
                  Cluster of 2 nodes: node 'a' serves
                    node           slices of notes
                    a (this node)  8
                    b              8
                """));
        assertThat(ActorSystem.root().dump().json()).contains(
                "\"title\":\"Cluster of 2 nodes: node 'a' serves\",\"columns\":[\"node\",\"slices of notes\"],"
                        + "\"rows\":[[\"a (this node)\",\"8\"],[\"b\",\"8\"]]");
        network.cut(a.engine);
        soon().untilAsserted(() -> assertThat(a.scope.dump().text())
                .contains("Cluster of 1 node: node 'a' does not serve", "no home        16"));
        network.heal();
        soon().untilAsserted(() -> assertThat(a.cluster.serves()).isTrue());
        a.cluster.leave(TestNode.LIMIT);
        assertThat(a.scope.dump().scope().sections()).isEmpty();
    }

    @Promise("84.4")
    @Test
    void whatIsNotUnderstoodIsCounted() throws Exception {
        var a = node("a");
        var b = node("b");
        var notes = notes(a);
        notes(b);
        soon().until(() -> a.cluster.members().size() == 2);
        assertThat(a.cluster.notUnderstood()).isZero();
        assertThat(b.engine.send(a.cluster.self().incarnation(), ByteBuffer.wrap(new byte[]{1, 2, 3})))
                .isTrue();
        soon().until(() -> a.cluster.notUnderstood() == 1);
        assertThat(a.scope.dump().text()).contains(
                "Cluster of 2 nodes: node 'a' serves; not understood: 1 connection or message");
        assertThat(b.engine.send(a.cluster.self().incarnation(), ByteBuffer.wrap(new byte[]{7}))).isTrue();
        soon().until(() -> a.scope.dump().text().contains("not understood: 2 connections and messages"));
        assertThat(b.cluster.notUnderstood()).isZero();
        for (int i = 0; i < SLICES; i++) {
            Waits.on(notes.sendMessageReturn(new Note("s", i, 1)));
        }
    }

    @Promise("84.1")
    @Test
    void aNodeThatIsAloneIsTheHomeOfWhatItShares() {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone().slices(SLICES))) {
            assertThat(cluster.homes()).isEmpty();
            assertThat(cluster.homeOf(Accounts.GROUP, 1L)).isEmpty();
            cluster.share(Accounts.GROUP, Accounts.of(scope));
            assertThat(cluster.homes()).singleElement().satisfies(group -> {
                assertThat(group.group()).isEqualTo("accounts");
                assertThat(group.slices()).hasSize(SLICES);
                assertThat(group.countOf(cluster.self())).isEqualTo(SLICES);
            });
            assertThat(cluster.homeOf(Accounts.GROUP, 1L)).contains(cluster.self());
        }
    }
}
