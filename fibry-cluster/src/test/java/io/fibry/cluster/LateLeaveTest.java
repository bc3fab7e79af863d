package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Nodes that leave, and have not handed over everything when their time is over. */
class LateLeaveTest {
    /** Shorter than the limit of moves. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(Cluster.class);
    private static final ClusterGroup<Integer, Step, String> STEPS =
            ClusterGroup.of("steps", Integer.class, Step.class, String.class, Step::key);
    private static final ClusterGroup<String, Step, String> JOBS =
            ClusterGroup.workers("jobs", Step.class, String.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode a = node("a");
    private final TestNode b = node("b");
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    /** Both nodes write while the test reads. */
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.toString());
        }
    };

    private record Step(int key, boolean waits) {
    }

    /** One of two has one slice: if its actors are stuck, nothing else has to move within the deadline. */
    private TestNode node(String name) {
        return new TestNode(ActorSystem.open(name),
                ClusterOptions.on(name, network.node()).slices(2).askLimit(TestNode.LIMIT));
    }

    /** Takes no notice of interrupts: what a stop interrupts at the deadline would be done at times, and at times not. */
    private String handle(String node, Step step) {
        if (step.waits) {
            begun.countDown();
            while (gate.getCount() > 0) {
                try {
                    gate.await();
                } catch (InterruptedException stop) {
                    continue;
                }
            }
        }
        return node;
    }

    @BeforeEach
    void listen() {
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void close() {
        gate.countDown();
        LOGGER.detachAppender(log);
        b.close();
        a.close();
    }

    private void assertLogged(String line) {
        assertThat(lines).contains("[WARN] " + line);
    }

    @Promise({"80.2", "80.8"})
    @Test
    void whatIsLeftIsNamedAndTheOthersTakeTheNodeForLost() throws Exception {
        for (var node : new TestNode[]{a, b}) {
            node.share(STEPS, key -> (self, step) -> handle(node.cluster.self().name(), step));
        }
        soon().until(() -> b.cluster.homes().stream()
                .anyMatch(homes -> homes.countOf(a.cluster.self()) == 1
                        && homes.countOf(b.cluster.self()) == 1));
        var key = IntStream.range(0, 100)
                .filter(each -> b.cluster.homeOf(STEPS, each).equals(Optional.of(a.cluster.self())))
                .findFirst().orElseThrow();
        var steps = b.cluster.reach(STEPS);
        var stuck = steps.sendMessageReturn(new Step(key, true));
        Waits.on(begun);
        assertThat(a.cluster.leave(DEADLINE)).isFalse();
        assertLogged("The node 'a' has not handed over all of its keys within PT2S: others take it for lost."
                + " Left here: 1 of 2 slices of the group 'steps'");
        assertThat(a.cluster.leave(DEADLINE)).as("again").isFalse();
        assertThat(Waits.failure(stuck)).isInstanceOfSatisfying(UncertainException.class,
                uncertain -> assertThat(uncertain.node()).isEqualTo(a.cluster.self()));
        assertThat(Waits.on(steps.sendMessageReturn(new Step(key, false)))).isEqualTo("b");
        soon().until(() -> b.events(ClusterEvent.Lost.class)
                .equals(List.of(new ClusterEvent.Lost(a.cluster.self()))));
        assertThat(b.events(ClusterEvent.Left.class)).isEmpty();
    }

    @Promise("80.8")
    @Test
    void watchersAreToldOfWhatIsUnderwayAtTheDeadline() throws Exception {
        b.cluster.share(STEPS, b.scope.named("steps")
                .mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block())).keyed(Step::key)
                .idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, step) -> handle("b", step)));
        var steps = a.cluster.reach(STEPS);
        var step = new Step(1, true);
        assertThat(steps.sendMessage(step)).as("at work").isTrue();
        assertThat(steps.sendMessage(step)).as("in the mailbox").isTrue();
        for (int key = 2; key < 10; key++) { // of both slices: a knows that b has what was sent before
            assertThat(Waits.on(steps.sendMessageReturn(new Step(key, false)))).isEqualTo("b");
        }
        assertThat(steps.sendMessage(step)).as("waits for room").isTrue();
        Waits.on(begun);
        assertThat(a.cluster.leave(DEADLINE)).isFalse();
        assertThat(a.events(ClusterEvent.Uncertain.class))
                .containsExactly(new ClusterEvent.Uncertain("steps", step, b.cluster.self()));
        assertThat(a.cluster.uncertain()).isEqualTo(1);
    }

    @Promise("80.8")
    @Test
    void aNodeThatLeavesWaitsForItsAnswers() throws Exception {
        b.share(STEPS, key -> (self, step) -> handle("b", step));
        var steps = a.cluster.reach(STEPS);
        var asked = steps.sendMessageReturn(new Step(1, true));
        Waits.on(begun);
        var leaves = CompletableFuture.supplyAsync(() -> a.cluster.leave(TestNode.LIMIT));
        soon().until(() -> !steps.sendMessage(new Step(2, false)));
        assertThatThrownBy(() -> leaves.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        gate.countDown();
        assertThat(Waits.on(asked)).isEqualTo("b");
        assertThat(Waits.on(leaves)).isTrue();
    }

    /** Others know all that they have to know, so they do not take the node for lost. */
    @Tag("timing")
    @Promise("80.8")
    @Test
    void anAnswerThatDoesNotComeIsWaitedForHalfOfTheTime() throws Exception {
        b.share(STEPS, key -> (self, step) -> handle("b", step));
        var asked = a.cluster.reach(STEPS).sendMessageReturn(new Step(1, true));
        Waits.on(begun);
        var before = System.nanoTime();
        assertThat(a.cluster.leave(DEADLINE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(DEADLINE.dividedBy(2), DEADLINE);
        assertThat(Waits.failure(asked)).isInstanceOf(UncertainException.class);
        soon().until(() -> b.events(ClusterEvent.Left.class)
                .equals(List.of(new ClusterEvent.Left(a.cluster.self()))));
    }

    /** What is shared when the node has begun to leave is not handed over, and must not be waited for. */
    @Promise("80.8")
    @Test
    void aGroupThatIsSharedMeanwhileDoesNotHoldUpTheLeave() throws Exception {
        for (int round = 0; round < 100; round++) {
            try (var node = node("n" + round)) {
                var shares = CompletableFuture.supplyAsync(() -> {
                    try {
                        return node.share(STEPS, key -> (self, step) -> "n");
                    } catch (ClusterException hasLeft) {
                        return node.scope;
                    }
                });
                if (round % 2 == 0) {
                    Thread.yield();
                }
                assertThat(node.cluster.leave(TestNode.LIMIT)).as("round %s", round).isTrue();
                assertThat(Waits.on(shares)).isNotNull();
            }
        }
    }

    /** No node has workers, so none has to be waited for. */
    @Promise("80.8")
    @Test
    void whatWaitsForWorkersIsNotServed() throws Exception {
        var jobs = a.cluster.reach(JOBS);
        var step = new Step(1, false);
        assertThat(jobs.sendMessage(step)).isTrue();
        var tracked = jobs.sendTracked(step);
        var asked = jobs.sendMessageReturn(step);
        assertThat(a.cluster.leave(Duration.ofHours(1))).as("without a wait").isTrue();
        assertThat(a.events(ClusterEvent.NotHandled.class))
                .containsExactly(new ClusterEvent.NotHandled("jobs", step, Cause.NOT_SERVED));
        assertThat(Waits.on(tracked)).isInstanceOf(MessageFate.Refused.class);
        assertThat(Waits.failure(asked)).isInstanceOf(NotHandledException.class);
    }

    /** The handler of a key without a home elsewhere must not make the others take the node for lost. */
    @Promise("80.8")
    @Test
    void aMessageThatNoNodeTakesIsNotServed() throws Exception {
        var steps = a.cluster.reach(STEPS);
        var step = new Step(1, false);
        assertThat(steps.sendMessage(step)).isTrue();
        assertThat(a.cluster.leave(Duration.ofSeconds(10))).isTrue();
        assertThat(a.events(ClusterEvent.NotHandled.class))
                .containsExactly(new ClusterEvent.NotHandled("steps", step, Cause.NOT_SERVED));
    }

    @Test
    void workersThatAreNotDoneAreNamed() throws Exception {
        try (var pool = WorkerPool.<Step, String>openWithReturn(a.scope, "jobs", PoolOptions.fixed(1, 10),
                step -> handle("a", step))) {
            a.cluster.workers(JOBS, pool);
            var stuck = b.cluster.reach(JOBS).sendMessageReturn(new Step(1, true));
            Waits.on(begun);
            assertThat(a.cluster.leave(Duration.ofMillis(100))).isFalse();
            assertLogged(
                    "The node 'a' has not handed over all of its keys within PT0.1S: others take it for lost."
                            + " Left here: messages of the group 'jobs'");
            assertThat(Waits.failure(stuck)).isInstanceOf(UncertainException.class);
            gate.countDown(); // the pool is closed now
        }
    }
}
