package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.CreationStrategy;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that hold up the move of their keys. */
class StuckMoveTest {
    private static final int KEYS = 20;
    private static final Duration MOVE_LIMIT = Duration.ofMillis(100);

    private static final ClusterGroup<Integer, Step, String> GROUP =
            ClusterGroup.of("steps", Integer.class, Step.class, String.class, Step::key);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final Semaphore gate = new Semaphore(0);
    private final CountDownLatch begun = new CountDownLatch(KEYS);
    private final Set<String> atWork = ConcurrentHashMap.newKeySet();
    private volatile boolean isOpen;

    /** What a handler does: it waits at the gate, it waits and takes no notice of interrupts, or it answers. */
    private record Step(int key, String how) {
    }

    @AfterEach
    void close() {
        isOpen = true;
        gate.release(10 * KEYS);
        nodes.reversed().forEach(TestNode::close);
    }

    private TestNode node(String name, CreationStrategy strategy) {
        var node = new TestNode(Scopes.configure().strategy(strategy).open(),
                ClusterOptions.on(name, network.node()).slices(8).askLimit(TestNode.LIMIT)
                        .moveLimit(MOVE_LIMIT));
        nodes.add(node);
        node.share(GROUP, key -> (self, step) -> {
            assertThat(atWork.add("key " + key)).as("no other actor of key %s", key).isTrue();
            try {
                switch (step.how) {
                    case "wait" -> {
                        begun.countDown();
                        gate.acquire();
                    }
                    case "take no notice" -> {
                        begun.countDown();
                        while (!isOpen) {
                            gate.acquireUninterruptibly();
                        }
                    }
                    default -> {
                    }
                }
                return name;
            } finally {
                atWork.remove("key " + key);
            }
        });
        return node;
    }

    /** A pool has too few threads for handlers that are stuck. */
    @Promise("82.8")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "POOL", mode = EnumSource.Mode.EXCLUDE)
    void aHandlerThatHoldsUpAMoveIsInterruptedAndWhatWaitsBehindItIsHandled(Strategy strategy)
            throws Exception {
        var a = node("a", strategy.create());
        var asking = network.node();
        var asker = new TestNode(Scopes.configure().open(),
                ClusterOptions.on("asker", asking).slices(8).askLimit(TestNode.LIMIT));
        nodes.add(asker);
        var steps = asker.cluster.reach(GROUP);
        var stuck = new ArrayList<CompletableFuture<String>>();
        var behind = new ArrayList<CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            stuck.add(steps.sendMessageReturn(new Step(key, "wait")));
            behind.add(steps.sendMessageReturn(new Step(key, "answer")));
        }
        Waits.on(begun);
        var b = node("b", strategy.create());
        soon().until(() -> !a.events(ClusterEvent.Moved.class).isEmpty());
        var moved = new HashSet<Integer>();
        soon().until(() -> {
            a.events(ClusterEvent.Moved.class).forEach(each -> moved.addAll(each.slices()));
            return moved.size() == 4;
        });
        var told = a.events(ClusterEvent.Stuck.class);
        assertThat(told).isNotEmpty()
                .allMatch(each -> each.group().equals("steps") && each.limit().equals(MOVE_LIMIT));
        var interrupted = told.stream().map(each -> (int) each.key()).collect(Collectors.toSet());
        for (int key : interrupted) {
            assertThat(Waits.failure(stuck.get(key))).isInstanceOf(RemoteException.class)
                    .hasMessageContaining("InterruptedException");
            assertThat(Waits.on(behind.get(key))).isEqualTo("a");
            assertThat(Waits.on(steps.sendMessageReturn(new Step(key, "answer")))).isEqualTo("b");
        }
        assertThat(stuck.stream().filter(answer -> !answer.isDone())).as("those that stay wait on")
                .hasSize(KEYS - interrupted.size());
        assertThat(b.events(ClusterEvent.Stuck.class)).isEmpty();
        gate.release(KEYS);
        for (var answer : behind) {
            assertThat(Waits.on(answer)).isEqualTo("a");
        }
    }

    @Promise("82.8")
    @Test
    void aKeyWhoseHandlerTakesNoNoticeStaysUntilThatEnds() throws Exception {
        var a = node("a", CreationStrategy.fibers());
        var steps = a.cluster.reach(GROUP);
        var stuck = new ArrayList<CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            stuck.add(steps.sendMessageReturn(new Step(key, "take no notice")));
        }
        Waits.on(begun);
        node("b", CreationStrategy.fibers());
        // Each of them is told again and again.
        soon().until(() -> a.events(ClusterEvent.Stuck.class).size() > 2 * KEYS);
        var late = steps.sendMessageReturn(
                new Step((int) a.events(ClusterEvent.Stuck.class).getFirst().key(), "answer"));
        soon().until(() -> a.events(ClusterEvent.Stuck.class).size() > 4 * KEYS);
        assertThat(stuck).noneMatch(CompletableFuture::isDone);
        assertThat(late).isNotDone();
        isOpen = true;
        gate.release(10 * KEYS);
        for (var answer : stuck) {
            assertThat(Waits.on(answer)).isEqualTo("a");
        }
        assertThat(Waits.on(late)).isEqualTo("b");
    }
}
