package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.AskCycleException;
import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.Recipient;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Actors of nodes that wait for each other. Asks have no limit that would end them in time. */
class CirclesTest {
    private static final String REFUSED = "refused";

    /** Each node has a group of its own, so that it is known where an actor is. */
    private record Visit(String key, List<Stop> way) {
        Visit(Stop first, List<Stop> way) {
            this(first.key, way);
        }
    }

    /** A key of the group of a node. */
    private record Stop(int node, String key) {
    }

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    private static ClusterGroup<String, Visit, String> group(int node) {
        return ClusterGroup.of("group" + node, String.class, Visit.class, String.class, Visit::key);
    }

    private void open(int count, CreationStrategy strategy) {
        for (int i = 0; i < count; i++) {
            var scope = Scopes.configure().strategy(strategy).open();
            var node = new TestNode(scope, ClusterOptions.on("n" + i, network.node()).slices(4)
                    .askLimit(Duration.ofMinutes(10)));
            nodes.add(node);
            var ways = new HashMap<Integer, Recipient<Visit, String>>();
            for (int other = 0; other < count; other++) {
                ways.put(other, node.cluster.reach(group(other)));
            }
            node.share(group(i), key -> (self, visit) -> visit(key, visit, ways));
        }
    }

    private Recipient<Visit, String> from(int node, Stop to) {
        return nodes.get(node).cluster.reach(group(to.node));
    }

    /** Asks the first stop of the rest of the way, and answers with the keys that were passed. */
    private String visit(String key, Visit visit, Map<Integer, Recipient<Visit, String>> ways)
            throws Exception {
        gates.getOrDefault(key, new CountDownLatch(0)).await();
        if (visit.way.isEmpty()) {
            return key;
        }
        var next = visit.way.getFirst();
        var rest = new Visit(next, visit.way.subList(1, visit.way.size()));
        try {
            return key + " " + ways.get(next.node).sendMessageReturn(rest).get();
        } catch (ExecutionException refused) {
            if (refused.getCause() instanceof AskCycleException cycle) {
                return key + " " + REFUSED + ": " + cycle.getMessage();
            }
            throw refused;
        }
    }

    private CompletableFuture<String> go(int from, Stop... way) {
        var stops = List.of(way);
        return from(from, stops.getFirst()).ask(
                new Visit(stops.getFirst(), stops.subList(1, stops.size())), Duration.ofMinutes(5));
    }

    private static Stop at(int node, String key) {
        return new Stop(node, key);
    }

    /** An answer that tells of one refusal, with actors and nodes. */
    private static void assertRefused(CompletableFuture<String> answer, String... parts) throws Exception {
        var text = Waits.on(answer);
        assertThat(text).contains(parts).containsOnlyOnce("would wait for itself")
                .contains("use sendMessage instead");
    }

    @Promise("82.4")
    @EveryStrategy
    void aCircleThroughTwoNodesIsRefused(Strategy strategy) throws Exception {
        open(2, strategy.create());
        assertRefused(go(0, at(0, "a"), at(1, "b"), at(0, "a")), "'group0[a]' on 'n0'",
                "'group1[b]' on 'n1'");
        assertThat(Waits.on(go(1, at(0, "a"), at(1, "b"), at(0, "c")))).isEqualTo("a b c");
    }

    @Promise("82.4")
    @Test
    void aCircleThroughThreeNodesIsRefusedAtOneOfThem() throws Exception {
        open(3, CreationStrategy.fibers());
        assertRefused(go(0, at(0, "a"), at(1, "b"), at(2, "c"), at(0, "a")), "'group0[a]' on 'n0'",
                "'group1[b]' on 'n1'", "'group2[c]' on 'n2'");
    }

    @Promise("82.4")
    @EveryStrategy
    void anActorThatAsksItselfThroughTheClusterIsRefused(Strategy strategy) throws Exception {
        open(1, strategy.create());
        assertRefused(go(0, at(0, "a"), at(0, "a")), "'group0[a]' on 'n0' -> 'group0[a]' on 'n0'");
    }

    @Promise("82.4")
    @Test
    void aCircleOfSharedActorsOfOneNodeIsRefused() throws Exception {
        open(1, CreationStrategy.fibers());
        assertRefused(go(0, at(0, "a"), at(0, "b"), at(0, "c"), at(0, "b")), "'group0[b]' on 'n0'",
                "'group0[c]' on 'n0'");
    }

    @Promise("82.4")
    @Test
    void aCircleThatOthersWaitForIsRefused() throws Exception {
        open(3, CreationStrategy.fibers());
        assertRefused(go(0, at(2, "x"), at(1, "y"), at(0, "a"), at(1, "b"), at(0, "a")),
                "'group0[a]' on 'n0'",
                "'group1[b]' on 'n1'");
    }

    private static String orRefused(Recipient<String, String> asked, String message) throws Exception {
        try {
            return asked.sendMessageReturn(message).get();
        } catch (ExecutionException refused) {
            assertThat(refused).hasCauseInstanceOf(AskCycleException.class);
            return REFUSED;
        }
    }

    private static void letProbesPass() throws Exception {
        var never = new CompletableFuture<Void>();
        Waits.failure(never.orTimeout(200, TimeUnit.MILLISECONDS));
    }

    /** The circle is closed by a wait for an actor of the same node, long after all waits for other nodes have begun. */
    @Promise("82.4")
    @EveryStrategy
    void aWaitWithinANodeThatClosesACircleIsFoundAsWell(Strategy strategy) throws Exception {
        open(2, strategy.create());
        var left = ClusterGroup.of("left", String.class, String.class, String.class,
                text -> text.substring(0, 1));
        var right = ClusterGroup.of("right", String.class, String.class, String.class, text -> text);
        var gate = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var toRight = nodes.get(0).cluster.reach(right);
        nodes.get(0).share(left, key -> (self, text) -> text.equals("h") ? orRefused(toRight, "y") : text);
        var toLeft = nodes.get(1).cluster.reach(left);
        var z = nodes.get(1).scope.named("z")
                .newActorWithReturn((String text) -> orRefused(toLeft, "h, said z"));
        nodes.get(1).share(right, key -> (self, text) -> {
            begun.countDown();
            gate.await();
            return z.sendMessageReturnWait("from y");
        });
        var ofH = nodes.get(0).cluster.reach(left).ask("h", Duration.ofMinutes(5));
        Waits.on(begun); // h waits for y
        var ofZ = new CompletableFuture<String>();
        Thread.ofVirtual().start(() -> ofZ.complete(z.apply("first"))); // z waits for h
        letProbesPass();
        gate.countDown(); // y waits for z
        assertThat(List.of(Waits.on(ofH), Waits.on(ofZ))).contains(REFUSED);
    }

    @Promise("82.4")
    @Test
    void waitsThatAreNoCircleAreNotRefusedHoweverLongTheyTake() throws Exception {
        open(3, CreationStrategy.fibers());
        gates.put("end", new CountDownLatch(1));
        var chains = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < 10; i++) {
            chains.add(
                    go(i % 3, at(0, "a" + i), at(1, "b" + i), at(2, "c" + i), at(0, "d" + i), at(1, "end")));
        }
        letProbesPass();
        assertThat(chains).noneMatch(CompletableFuture::isDone);
        gates.get("end").countDown();
        for (int i = 0; i < 10; i++) {
            assertThat(Waits.on(chains.get(i))).isEqualTo("a" + i + " b" + i + " c" + i + " d" + i + " end");
        }
    }

    @Promise("82.4")
    @Test
    void aWaitThatEndsByItselfIsNotRefused() throws Exception {
        open(2, CreationStrategy.fibers());
        var answer = from(0, at(0, "a")).ask(
                new Visit("a", List.of(at(1, "b"), at(0, "a"))), Duration.ofMillis(1));
        assertThat(Waits.failure(answer)).isInstanceOf(AskTimeoutException.class);
        assertThat(Waits.on(go(1, at(0, "a"), at(1, "b")))).isEqualTo("a b");
    }
}
