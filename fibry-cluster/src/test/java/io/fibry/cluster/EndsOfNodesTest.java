package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes and groups that end while something is in their way. */
class EndsOfNodesTest {
    private static final ClusterGroup<Integer, Step, String> STEPS =
            ClusterGroup.of("steps", Integer.class, Step.class, String.class, Step::key);

    private final MemoryNetwork network = new MemoryNetwork();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();

    private record Step(int key, boolean waits) {
    }

    @AfterEach
    void open() {
        gate.countDown();
    }

    /** Takes no notice of interrupts. */
    private String handle(Step step) {
        if (step.waits) {
            begun.incrementAndGet();
            while (gate.getCount() > 0) {
                try {
                    gate.await();
                } catch (InterruptedException goesOn) {
                    continue;
                }
            }
        }
        return "" + step.key;
    }

    private void shareAndWait(TestNode node) throws Exception {
        var steps = node.share(STEPS, key -> (self, step) -> handle(step));
        soon().until(() -> node.cluster.homes().stream()
                .anyMatch(homes -> homes.countOf(node.cluster.self()) == 16));
        steps.sendMessage(new Step(1, true));
        soon().until(() -> begun.get() == 1);
    }

    /** Its answers to calls of a method are those of a function. */
    private static ClusterEngine failing(ClusterEngine engine, String what, UnaryOperator<Object> fails) {
        return (ClusterEngine) Proxy.newProxyInstance(EndsOfNodesTest.class.getClassLoader(),
                new Class<?>[]{ClusterEngine.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals(what)) {
                            return fails.apply(method);
                        }
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Promise("80.8")
    @Test
    void anInterruptDoesNotCutALeaveShort() throws Exception {
        try (var a = new TestNode("a", network.node()); var b = new TestNode("b", network.node())) {
            shareAndWait(a);
            var isInterrupted = new CompletableFuture<Boolean>();
            var left = CompletableFuture.supplyAsync(() -> {
                Thread.currentThread().interrupt();
                var isInTime = a.cluster.leave(TestNode.LIMIT);
                isInterrupted.complete(Thread.interrupted());
                return isInTime;
            }, task -> Thread.ofPlatform().start(task));
            soon().until(() -> !a.cluster.serves());
            gate.countDown();
            assertThat(Waits.on(left)).isTrue();
            assertThat(Waits.on(isInterrupted)).as("the thread is interrupted afterwards").isTrue();
            soon().until(() -> !b.events(ClusterEvent.Left.class).isEmpty());
            assertThat(b.events(ClusterEvent.Lost.class)).isEmpty();
        }
    }

    @Promise("80.8")
    @Test
    void theTimeLimitOfAHandlerDoesNotCutALeaveShort() throws Exception {
        var time = new ManualTime();
        var limit = Duration.ofMillis(20);
        try (var a = new TestNode("a", network.node());
                var b = new TestNode("b", network.node());
                var own = ActorSystem.configure("own").time(time).open()) {
            shareAndWait(a);
            var left = new CompletableFuture<Boolean>();
            var leaver = own.anonymous().<String, String>newActorWithReturn(message -> {
                left.complete(a.cluster.leave(TestNode.LIMIT));
                return message;
            });
            var answer = leaver.ask("leave", limit);
            soon().until(() -> !a.cluster.serves());
            time.advance(limit);
            assertThatThrownBy(() -> Waits.on(answer)).hasCauseInstanceOf(AskTimeoutException.class);
            // With the limit of the handler, all that the leave has asked for would have failed by then.
            assertThatThrownBy(() -> left.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            gate.countDown();
            assertThat(Waits.on(left)).isTrue();
            soon().until(() -> !b.events(ClusterEvent.Left.class).isEmpty());
            assertThat(b.events(ClusterEvent.Lost.class)).isEmpty();
        }
    }

    @Promise("80.8")
    @Test
    void aGoodbyeThatFailsDoesNotKeepTheNode() throws Exception {
        var engine = network.node();
        var a = new TestNode("a", failing(engine, "leave", method -> {
            throw new IllegalStateException("no goodbye, on purpose");
        }));
        try (var b = new TestNode("b", network.node())) {
            a.share(STEPS, key -> (self, step) -> handle(step));
            assertThat(a.cluster.leave(TestNode.LIMIT)).isFalse();
            soon().until(() -> b.cluster.members().size() == 1);
            assertThatThrownBy(() -> a.cluster.watch(event -> {
            })).as("watchers have ended").isInstanceOf(ClusterException.class);
        } finally {
            a.scope.close();
        }
    }

    @Test
    void anErrorOfTheEngineLeavesNothingBehind() {
        try (var scope = ActorSystem.open("x")) {
            var before = scope.dump().text();
            var engine = failing(network.node(), "start", method -> {
                throw new NoClassDefFoundError("on purpose");
            });
            assertThatThrownBy(() -> Cluster.open(scope, ClusterOptions.on("x", engine)))
                    .isInstanceOf(NoClassDefFoundError.class);
            assertThat(before).doesNotContain("member");
            assertThat(scope.dump().text()).doesNotContain("member");
        }
    }

    @Promise("80.8")
    @Test
    void aScopeThatWaitsForNothingClosesItsGroups() throws Exception {
        try (var scope = ActorSystem.configure("a").closeTimeout(Duration.ZERO).open()) {
            var node = new TestNode(scope, ClusterOptions.on("a", network.node()).slices(16));
            var steps = node.share(STEPS, key -> (self, step) -> handle(step));
            assertThatCode(steps::close).doesNotThrowAnyException();
            node.cluster.leave(TestNode.LIMIT);
        }
    }

    @Promise({"80.1", "80.8"})
    @Test
    void whatTheNodeItselfWasAskedEndsThoughItsHandlerDoesNot() throws Exception {
        try (var a = new TestNode("a", network.node())) {
            var steps = a.share(STEPS, key -> (self, step) -> handle(step));
            var fate = steps.sendTracked(new Step(1, true));
            soon().until(() -> begun.get() == 1);
            assertThat(a.cluster.leave(Duration.ofMillis(50))).isFalse();
            assertThat(Waits.failure(fate)).isInstanceOf(UncertainException.class)
                    .hasMessageContaining("'a'");
            gate.countDown();
        }
    }

    /** Else two actors of one key could be at work. */
    @Promise("77.1")
    @Test
    void aGroupIsNotSharedAgainWhileItsMessagesAreHandled() throws Exception {
        var atWork = new ConcurrentHashMap<Integer, AtomicInteger>();
        var most = new AtomicInteger();
        try (var a = new TestNode("a", network.node())) {
            var first = a.share(STEPS, key -> (self, step) -> {
                var now = atWork.computeIfAbsent(step.key, same -> new AtomicInteger());
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                var answer = handle(step);
                now.decrementAndGet();
                return answer;
            });
            soon().until(() -> a.cluster.homes().stream()
                    .anyMatch(homes -> homes.countOf(a.cluster.self()) == 16));
            for (int key = 0; key < 40; key++) {
                first.sendMessage(new Step(key, true));
            }
            soon().until(() -> begun.get() == 40);
            first.stop(Duration.ofMillis(20));
            assertThatThrownBy(() -> a.share(STEPS, key -> (self, step) -> handle(step)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("has not ended on the node 'a' yet")
                    .hasMessageContaining("Share it again");
            gate.countDown();
            soon().until(() -> {
                try {
                    return Waits.on(a.share(STEPS, key -> (self, step) -> {
                        most.accumulateAndGet(atWork.get(step.key).incrementAndGet(), Math::max);
                        return handle(step);
                    }).sendMessageReturn(new Step(3, false))).equals("3");
                } catch (ClusterException notYet) {
                    return false;
                } catch (ExecutionException wrong) {
                    throw new AssertionError(wrong);
                }
            });
            assertThat(most).hasValue(1);
        }
    }

    @Test
    void aGroupThatWasEndedIsEndedOnce() throws Exception {
        try (var a = new TestNode("a", network.node())) {
            var first = a.share(STEPS, key -> (self, step) -> handle(step));
            first.stop(TestNode.LIMIT);
            var second = a.share(STEPS, key -> (self, step) -> handle(step));
            first.close();
            assertThatThrownBy(() -> a.share(STEPS, key -> (self, step) -> handle(step)))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("steps");
            assertThat(Waits.on(second.sendMessageReturn(new Step(3, false)))).isEqualTo("3");
        }
    }
}
