package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorContext;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.function.ContextReplyHandler;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One actor in the whole cluster. */
class SingletonTest {
    private static final ClusterGroup<String, Integer, String> ONE =
            ClusterGroup.single("one", Integer.class, String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> begun = new ConcurrentLinkedQueue<>();
    private final AtomicInteger atWork = new AtomicInteger();
    private final AtomicInteger mostAtWork = new AtomicInteger();

    /** Answers with the name of its node and how many messages it has had. */
    private final class One implements ContextReplyHandler<Integer, String>, AutoCloseable {
        private final String node;
        private int count;

        One(String node) {
            this.node = node;
            begun.add(node);
            mostAtWork.accumulateAndGet(atWork.incrementAndGet(), Math::max);
        }

        @Override
        public String handle(ActorContext<Integer, String> self, Integer message) {
            count++;
            return node + count;
        }

        @Override
        public void close() {
            atWork.decrementAndGet();
        }
    }

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private Recipient<Integer, String> one(TestNode node) {
        var name = node.cluster.self().name();
        return node.cluster.singleton(ONE, node.scope.named("one"), () -> new One(name));
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    @Promise("81.4")
    @Test
    void thereIsOneActorAndItBeginsBeforeItsFirstMessage() throws Exception {
        var a = node("a");
        var b = node("b");
        var first = one(a);
        soon().until(() -> !begun.isEmpty());
        var second = one(b);
        var c = node("c");
        var third = one(c);
        var onlySends = node("d").cluster.reach(ONE);
        assertThat(Waits.on(first.sendMessageReturn(1))).isEqualTo("a1");
        assertThat(Waits.on(second.sendMessageReturn(1))).isEqualTo("a2");
        assertThat(Waits.on(third.sendMessageReturn(1))).isEqualTo("a3");
        assertThat(Waits.on(onlySends.sendMessageReturn(1))).isEqualTo("a4");
        assertThat(begun).containsExactly("a");
        assertThat(homes(c).slices()).containsExactly(Optional.of(a.cluster.self()));
        assertThat(b.cluster.homeOf(ONE, "")).contains(a.cluster.self());
    }

    private static GroupHomes homes(TestNode node) {
        return node.cluster.homes().getFirst();
    }

    @Promise("81.4")
    @Test
    void itMovesWhenItsHomeLeavesAndWhenItIsLost() throws Exception {
        var a = node("a");
        one(a);
        soon().until(() -> !begun.isEmpty());
        var b = node("b");
        one(b);
        var c = node("c");
        var sender = one(c);
        assertThat(Waits.on(sender.sendMessageReturn(1))).isEqualTo("a1");
        assertThat(a.cluster.leave(TestNode.LIMIT)).isTrue();
        soon().until(() -> begun.size() == 2);
        var d = node("d");
        one(d);
        var home = begun.stream().skip(1).findFirst().orElseThrow();
        var survivor = node("e").cluster.reach(ONE);
        assertThat(Waits.on(survivor.sendMessageReturn(1))).isEqualTo(home + 1);
        assertThat(mostAtWork).hasValue(1);
        var lost = home.equals("b") ? b : c;
        network.kill(lost.engine);
        lost.isDead = true;
        soon().until(() -> begun.size() == 3);
        var next = begun.stream().skip(2).findFirst().orElseThrow();
        assertThat(next).isNotEqualTo(home);
        assertThat(Waits.on(survivor.sendMessageReturn(1))).isEqualTo(next + 1);
    }

    @Promise("81.4")
    @EveryStrategy
    void aloneItBeginsAtOnceAsWell(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var one = cluster.singleton(ONE, scope.named("one"), () -> new One("alone"));
            soon().until(() -> !begun.isEmpty());
            assertThat(Waits.on(one.sendMessageReturn(1))).isEqualTo("alone1");
            assertThat(Waits.on(cluster.reach(ONE).sendMessageReturn(1))).isEqualTo("alone2");
            assertThat(cluster.leave(TestNode.LIMIT)).isTrue();
            assertThat(atWork).hasValue(0);
            assertThat(one.sendMessage(1)).isFalse();
        }
    }

    @Promise("81.4")
    @Test
    void whatIsNoSingletonIsRefused() throws Exception {
        var a = node("a");
        try (var scope = ActorSystem.open("alone"); var alone = Cluster.open(scope, ClusterOptions.alone())) {
            for (var cluster : List.of(alone, a.cluster)) {
                KeyedActors<String, Integer, String> keyed =
                        scope.anonymous().keyed(ONE.keyOf()).idle(TestNode.LIMIT)
                                .newActorsWithReturnFrom(key -> new One("x"));
                assertThatThrownBy(() -> cluster.share(ONE, keyed)).isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'one' is that of a singleton")
                        .hasMessageContaining("Cluster.singleton");
                assertThatThrownBy(() -> cluster.singleton(
                        ClusterGroup.of("keyed", String.class, Integer.class, String.class, String::valueOf),
                        scope.named("keyed"), () -> new One("x"))).isInstanceOf(ClusterException.class)
                        .hasMessageContaining("'keyed' has keys").hasMessageContaining("ClusterGroup.single");
                var threads = ClusterGroup.single("threads", Thread.class, String.class);
                assertThatThrownBy(
                        () -> cluster.singleton(threads, scope.named("t"), () -> (self, message) -> "x"))
                        .isInstanceOf(ClusterException.class).hasMessageContaining("'threads' cannot cross");
                cluster.singleton(ONE, scope.anonymous(), () -> new One("x"));
                assertThatThrownBy(() -> cluster.singleton(ONE, scope.named("again"), () -> new One("x")))
                        .isInstanceOf(ClusterException.class)
                        .hasMessageContaining("shares a group 'one' already");
                keyed.close();
                cluster.leave(TestNode.LIMIT);
                assertThatThrownBy(() -> cluster.singleton(ONE, scope.named("late"), () -> new One("x")))
                        .isInstanceOf(ClusterException.class).hasMessageContaining("has left");
            }
        }
    }
}
