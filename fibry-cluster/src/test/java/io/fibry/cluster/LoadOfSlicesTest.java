package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slices of a busy node go to less busy ones. */
class LoadOfSlicesTest {
    private record Work(int key, int number) {
    }

    private static final ClusterGroup<Integer, Work, Void> GROUP =
            ClusterGroup.of("work", Integer.class, Work.class, Void.class, Work::key);
    /** Longer than slices have to stay before one moves. */
    private static final int ROUNDS = 10;

    private final ManualTime time = new ManualTime();
    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final Map<Integer, ConcurrentLinkedQueue<Integer>> handled = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> sent = new HashMap<>();

    private TestNode node(String name) {
        var node = new TestNode(ActorSystem.configure(name).time(time).open(),
                ClusterOptions.on(name, network.node()).slices(16));
        nodes.add(node);
        return node;
    }

    private KeyedActors<Integer, Work, Void> share(TestNode node) {
        return node.share(GROUP, key -> (self, work) -> {
            handled.computeIfAbsent(key, missing -> new ConcurrentLinkedQueue<>()).add(work.number());
            return null;
        });
    }

    /** Starts nodes that share the group, until each has as many slices as the others; returns what the first one has shared. */
    private KeyedActors<Integer, Work, Void> share(int number) {
        var shared = IntStream.range(0, number).mapToObj(each -> share(node("node-" + each))).toList();
        passUntil(() -> nodes.stream().allMatch(node -> homes(node) == 16 / number));
        return shared.getFirst();
    }

    @AfterEach
    void close() {
        for (var node : nodes.reversed()) {
            var closes = Thread.ofVirtual().start(node::close);
            passUntil(() -> !closes.isAlive());
        }
    }

    private void passUntil(BooleanSupplier isThere) {
        soon().until(() -> {
            time.advance(Duration.ofMillis(20));
            return isThere.getAsBoolean();
        });
    }

    private static long homes(TestNode node) {
        return node.cluster.homes().stream().filter(each -> each.group().equals(GROUP.name()))
                .mapToInt(each -> each.countOf(node.cluster.self())).sum();
    }

    /** Returns keys of different slices that are at home on a node. */
    private List<Integer> keysAt(TestNode node, int count) {
        var slices = new SliceOfKey(16, key -> new byte[0]);
        var found = new HashMap<Integer, Integer>();
        IntStream.range(0, 1_000).filter(key -> isAt(node, key))
                .forEach(key -> found.putIfAbsent(slices.of(key), key));
        return found.values().stream().limit(count).toList();
    }

    private static boolean isAt(TestNode node, int key) {
        return node.cluster.homeOf(GROUP, key).filter(node.cluster.self()::equals).isPresent();
    }

    /** Sends so many messages to each key in ten seconds. */
    private void send(KeyedActors<Integer, Work, Void> actors, List<Integer> keys, int messages) {
        for (int i = 0; i < messages; i++) {
            for (var key : keys) {
                assertThat(actors.sendMessage(new Work(key, sent.merge(key, 1, Integer::sum)))).isTrue();
            }
        }
        time.advance(Duration.ofSeconds(10));
    }

    private void assertAllHandledInOrder() {
        sent.forEach((key, count) -> assertThat(handled.get(key)).as("messages of key %d", key)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, count).boxed().toList()));
    }

    @Promise({"80.18", "77.5", "82.6"})
    @Test
    void theBusiestNodeHandsOverWhatBringsTheLeastBusyOneToTheAverage() {
        var actors = share(2);
        var a = nodes.get(0);
        var b = nodes.get(1);
        var keys = keysAt(a, 4);
        send(actors, keys, 1_000);
        send(actors, keys, 1_000);
        assertThat(homes(a)).as("after 20 seconds").isEqualTo(8);
        for (int i = 0; i < ROUNDS && keys.stream().allMatch(key -> isAt(a, key)); i++) {
            send(actors, keys, 1_000);
        }
        assertThat(keys.stream().filter(key -> isAt(b, key))).as("keys that have moved").hasSize(2);
        assertThat(b.events(ClusterEvent.Moved.class))
                .anySatisfy(moved -> assertThat(moved.to()).isEqualTo(b.cluster.self()));
        for (int i = 0; i < ROUNDS; i++) {
            send(actors, keys, 1_000);
        }
        assertThat(keys.stream().filter(key -> isAt(b, key))).as("keys that have moved").hasSize(2);
        assertThat(homes(b)).isEqualTo(10);
        assertAllHandledInOrder();

        // A chosen home is none any more when its node has gone.
        var leaves = Thread.ofVirtual().start(() -> b.cluster.leave(TestNode.LIMIT));
        passUntil(() -> !leaves.isAlive() && homes(a) == 16);
        send(actors, keys, 1);
        assertAllHandledInOrder();
    }

    @Promise("80.18")
    @Test
    void aSliceThatIsBusierThanTheDifferenceStays() {
        var actors = share(2);
        var a = nodes.get(0);
        var b = nodes.get(1);
        var key = keysAt(a, 1);
        for (int i = 0; i < ROUNDS; i++) {
            send(actors, key, 3_000);
        }
        assertThat(isAt(a, key.getFirst())).isTrue();
        assertThat(homes(a)).isEqualTo(8);
        assertAllHandledInOrder();
    }

    /** A key that is busier than all else is no reason to leave the others where they are. */
    @Promise("80.18")
    @Test
    void besideASliceThatStaysOthersMove() {
        var actors = share(4);
        var a = nodes.get(0);
        var b = nodes.get(1);
        var c = nodes.get(2);
        var d = nodes.get(3);
        var hot = keysAt(a, 1).getFirst();
        var keys = keysAt(b, 3);
        for (int i = 0; i < ROUNDS && keys.stream().allMatch(key -> isAt(b, key)); i++) {
            for (int number = 0; number < 4_000; number++) {
                assertThat(actors.sendMessage(new Work(hot, sent.merge(hot, 1, Integer::sum)))).isTrue();
            }
            send(actors, keys, 1_000);
        }
        assertThat(isAt(a, hot)).isTrue();
        assertThat(keys.stream().filter(key -> isAt(c, key) || isAt(d, key))).hasSize(1);
        assertAllHandledInOrder();

        // A node that joins gets its share, whatever has moved before.
        var e = node("e");
        share(e);
        passUntil(() -> homes(e) >= 3);
        send(actors, keys, 1);
        assertAllHandledInOrder();
    }

    @Promise("80.18")
    @Test
    void nothingMovesForALittleWorkOrBetweenNodesThatAreAlmostAsBusy() {
        var actors = share(2);
        var a = nodes.get(0);
        var b = nodes.get(1);
        var few = keysAt(a, 4);
        for (int i = 0; i < ROUNDS; i++) {
            send(actors, few, 100);
        }
        var all = new ArrayList<>(keysAt(a, 8));
        all.addAll(keysAt(b, 5));
        for (int i = 0; i < ROUNDS; i++) {
            send(actors, all, 1_000);
        }
        assertThat(homes(a)).isEqualTo(8);
        assertThat(homes(b)).isEqualTo(8);
    }
}
