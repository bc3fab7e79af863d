package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that send, and are the home of nothing: the same program, with one setting more. */
class ReachOnlyTest {
    private static final ClusterGroup<Integer, Integer, String> ECHOES =
            ClusterGroup.of("echoes", Integer.class, Integer.class, String.class, key -> key);
    private static final ClusterGroup<String, Integer, String> ONE =
            ClusterGroup.single("one", Integer.class, String.class);
    private static final ClusterGroup<String, Integer, String> WORKERS =
            ClusterGroup.workers("workers", Integer.class, String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    private TestNode node(String name, boolean hosts) {
        var options = ClusterOptions.on(name, network.node()).slices(16).askLimit(TestNode.LIMIT);
        var node = new TestNode(ActorSystem.open(name), hosts ? options : options.reachOnly());
        nodes.add(node);
        return node;
    }

    private static void echo(TestNode node) throws Exception {
        var name = node.cluster.self().name();
        var echoes = node.share(ECHOES, key -> (self, message) -> name);
        var one = node.cluster.singleton(ONE, node.scope.named("one"), () -> (self, message) -> name);
        var workers = node.cluster.workers(WORKERS, WorkerPool.openWithReturn(node.scope, "workers",
                PoolOptions.<Integer>fixed(2, 100), message -> name));
        if (!node.cluster.self().hosts()) {
            for (int i = 0; i < 50; i++) {
                assertThat(Waits.on(echoes.sendMessageReturn(i))).isIn("a", "b");
                assertThat(Waits.on(workers.sendMessageReturn(i))).isIn("a", "b");
            }
            assertThat(Waits.on(one.sendMessageReturn(1))).isIn("a", "b");
            assertThat(echoes.live()).isZero();
        }
    }

    @Promise("92.10")
    @Test
    void itSendsAndIsTheHomeOfNothing() throws Exception {
        var a = node("a", true);
        var b = node("b", true);
        echo(a);
        echo(b);
        soon().until(() -> a.cluster.homes().stream().anyMatch(homes -> homes.group().equals("echoes")
                && homes.countOf(a.cluster.self()) == 8 && homes.countOf(b.cluster.self()) == 8)
                && a.cluster.homes().size() == 2 && a.cluster.homes().stream()
                        .allMatch(homes -> homes.slices().stream().allMatch(Optional::isPresent)));
        var homes = a.cluster.homes();
        for (var name : List.of("front", "another front")) {
            var front = node(name, false);
            echo(front);
            assertThat(front.cluster.serves()).isTrue();
            assertThat(front.cluster.homes()).isEqualTo(homes);
            assertThat(a.cluster.members()).contains(front.cluster.self());
            assertThat(front.scope.dump().text()).contains(name + " (this node), only reaches");
            if (name.equals("another front")) {
                assertThat(front.cluster.leave(TestNode.LIMIT)).isTrue();
            }
        }
        network.kill(nodes.get(2).engine);
        nodes.get(2).isDead = true;
        soon().until(
                () -> a.cluster.members().equals(b.cluster.members()) && a.cluster.members().size() == 2);
        assertThat(a.cluster.homes()).isEqualTo(homes);
        // It comes and goes without a move: what was moved between the two others at first was moved once.
        assertThat(a.events(ClusterEvent.Moved.class).stream()
                .flatMap(moved -> moved.slices().stream().map(slice -> moved.group() + slice)))
                .doesNotHaveDuplicates();
        assertThat(Optional.of(a.cluster.self())).isIn(homes.getFirst().slices());
    }

    @Test
    void aNodeThatIsAloneHosts() {
        assertThatThrownBy(() -> ClusterOptions.alone().reachOnly())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reachOnly()");
    }
}
