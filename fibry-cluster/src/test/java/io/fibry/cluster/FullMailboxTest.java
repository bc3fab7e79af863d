package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.topic.TopicOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that wait for room in a mailbox on another node, and those behind them. */
class FullMailboxTest {
    private static final ClusterGroup<Integer, Step, String> STEPS =
            ClusterGroup.of("steps", Integer.class, Step.class, String.class, Step::key);
    private static final ClusterGroup<Integer, Step, String> OTHERS =
            ClusterGroup.of("others", Integer.class, Step.class, String.class, Step::key);
    private static final ClusterGroup<String, Step, Void> NEWS = ClusterGroup.topic("news", Step.class);
    private static final MailboxPolicy ONE_WAITS = MailboxPolicy.bounded(1, OverflowPolicy.block());
    /** More than a stream carries at once. */
    private static final int MANY = 10_000;
    private static final int STUCK = 1;

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode a = new TestNode("a", network.node());
    private final TestNode b = new TestNode("b", network.node());
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final Map<Integer, Integer> last = new ConcurrentHashMap<>();

    record Step(int key, int number) {
    }

    @AfterEach
    void close() {
        gate.countDown();
        b.close();
        a.close();
    }

    private String handle(String node, Step step) throws InterruptedException {
        if (step.key == STUCK) {
            begun.countDown();
            gate.await();
        }
        assertThat(last.put(step.key, step.number)).as("before %s", step)
                .isEqualTo(step.number == 0 ? null : Integer.valueOf(step.number - 1));
        return node;
    }

    /** The group "steps" is at home on the second node, and the actor of one of its keys is stuck. */
    private Recipient<Step, String> shareSteps() {
        b.cluster.share(STEPS, b.scope.named("steps").mailbox(ONE_WAITS).keyed(Step::key).idle(TestNode.LIMIT)
                .newActorsWithReturnFrom(key -> (self, step) -> handle("b", step)));
        return a.cluster.reach(STEPS);
    }

    @Promise("82.9")
    @Test
    void aFullMailboxHoldsUpItsSliceAlone() throws Exception {
        var steps = shareSteps();
        b.share(OTHERS, key -> (self, step) -> "b " + step.number);
        var others = a.cluster.reach(OTHERS);
        for (int n = 0; n < MANY; n++) {
            assertThat(steps.sendMessage(new Step(STUCK, n))).isTrue();
        }
        Waits.on(begun);
        var slices = new SliceOfKey(16, new GroupCodec<>(STEPS)::bytes);
        var free = IntStream.range(2, 100).filter(key -> slices.of(key) != slices.of(STUCK)).findFirst()
                .orElseThrow();
        for (int n = 0; n < MANY; n++) {
            assertThat(others.sendMessage(new Step(n, n))).isTrue();
            assertThat(steps.sendMessage(new Step(free, n))).isTrue();
        }
        assertThat(Waits.on(others.sendMessageReturn(new Step(1, MANY)))).isEqualTo("b " + MANY);
        assertThat(Waits.on(others.sendTracked(new Step(1, MANY))))
                .isInstanceOf(MessageFate.Handled.class);
        assertThat(Waits.on(steps.sendMessageReturn(new Step(free, MANY)))).isEqualTo("b");
        assertThat(last).doesNotContainKey(STUCK);
        gate.countDown();
        assertThat(Waits.on(steps.sendMessageReturn(new Step(STUCK, MANY)))).isEqualTo("b");
        assertThat(a.events(ClusterEvent.NotHandled.class)).isEmpty();
    }

    /** Shares "steps" on the second node with a full mailbox: step 0 is at work, and step 1 waits. */
    private Recipient<Step, String> shareFull(TestNode home, OverflowPolicy overflow) throws Exception {
        var actors = home.cluster.share(STEPS,
                home.scope.named("steps").mailbox(MailboxPolicy.bounded(1, overflow))
                        .keyed(Step::key).idle(TestNode.LIMIT)
                        .newActorsWithReturnFrom(key -> (self, step) -> {
                            begun.countDown();
                            gate.await();
                            last.put(step.key, step.number);
                            return "home";
                        }));
        var steps = a.cluster.reach(STEPS);
        assertThat(steps.sendMessage(new Step(STUCK, 0))).isTrue();
        Waits.on(begun);
        assertThat(steps.sendMessage(new Step(STUCK, 1))).isTrue();
        soon().until(() -> actors.find(STUCK).orElseThrow().mailboxSize() == 1);
        return steps;
    }

    @Promise("78.6")
    @Test
    void theHomeTellsWhatItHasTakenAndDropped() throws Exception {
        var steps = shareFull(b, OverflowPolicy.dropOldest());
        assertThat(steps.sendMessage(new Step(STUCK, 2))).isTrue();
        soon().until(() -> b.events(ClusterEvent.NotHandled.class).size() == 1);
        assertThat(b.events(ClusterEvent.NotHandled.class)).containsExactly(
                new ClusterEvent.NotHandled("steps", new Step(STUCK, 1), Cause.DROPPED_OLDEST));
        assertThat(a.events(ClusterEvent.NotHandled.class)).isEmpty();
    }

    @Promise({"78.6", "80.5"})
    @Test
    void theHomeTellsWhatItHasTakenTooLate() throws Exception {
        var actors = b.share(STEPS, key -> (self, step) -> handle("b", step));
        var gone = Duration.ofNanos(1);
        assertThat(a.cluster.reach(STEPS).sendMessage(new Step(STUCK, 0))).isTrue();
        Waits.on(begun);
        assertThat(actors.sendMessage(new Step(STUCK, 1), gone)).isTrue(); // is in the mailbox now, behind the other one
        assertThat(b.events(ClusterEvent.Expired.class)).isEmpty();
        gate.countDown();
        soon().until(() -> !b.events(ClusterEvent.Expired.class).isEmpty());
        assertThat(b.events(ClusterEvent.Expired.class))
                .containsExactly(new ClusterEvent.Expired("steps", new Step(STUCK, 1), gone));
        assertThat(last).containsEntry(STUCK, 0);
    }

    /** One that expires before a home has it is told by its sender, and once, also if that has actors of the group. */
    @Promise("80.5")
    @Test
    void whatExpiresOnTheWayIsToldOnce() throws Exception {
        var limit = Duration.ofMillis(50);
        try (var c = new TestNode(ActorSystem.open("c"),
                ClusterOptions.on("c", network.node()).slices(16).reachOnly())) {
            var actors = c.share(STEPS, key -> (self, step) -> "c");
            var expected = new ArrayList<ClusterEvent.Expired>();
            for (int n = 0; n < 2; n++) {
                assertThat(actors.sendMessage(new Step(n, n), limit)).isTrue();
                expected.add(new ClusterEvent.Expired("steps", new Step(n, n), limit));
                soon().untilAsserted(
                        () -> assertThat(c.events(ClusterEvent.Expired.class)).isEqualTo(expected));
            }
        }
    }

    /** The home has not taken it. */
    @Promise("78.6")
    @Test
    void whatIsDroppedAtOnceIsToldToItsSender() throws Exception {
        var steps = shareFull(b, OverflowPolicy.dropNewest());
        assertThat(steps.sendMessage(new Step(STUCK, 2))).isTrue();
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).size() == 1);
        assertThat(a.events(ClusterEvent.NotHandled.class)).containsExactly(
                new ClusterEvent.NotHandled("steps", new Step(STUCK, 2), Cause.FULL));
        assertThat(b.events(ClusterEvent.NotHandled.class)).isEmpty();
    }

    @Promise("78.6")
    @Test
    void aHomeThatWasFrozenTellsWhatItDoesNotBegin() throws Exception {
        var engine = new DeafEngine(network.node());
        try (var c = new TestNode("c", engine)) {
            shareFull(c, OverflowPolicy.dropOldest());
            engine.wasFrozen = true;
            gate.countDown();
            soon().until(() -> c.events(ClusterEvent.NotHandled.class).size() == 1);
            assertThat(c.events(ClusterEvent.NotHandled.class)).containsExactly(
                    new ClusterEvent.NotHandled("steps", new Step(STUCK, 1), Cause.STOPPED_BEFORE_TURN));
            assertThat(last).containsEntry(STUCK, 0);
            engine.wasFrozen = false;
        }
    }

    /** Answers go the other way, in the stream of the node that has asked too much. */
    @Promise("82.9")
    @Test
    void aNodeAnswersWhileItsOwnMessagesWaitForRoom() throws Exception {
        var steps = shareSteps();
        a.share(OTHERS, key -> (self, step) -> "a " + step.number);
        var others = b.cluster.reach(OTHERS);
        for (int n = 0; n < MANY; n++) {
            assertThat(steps.sendMessage(new Step(STUCK, n))).isTrue();
        }
        Waits.on(begun);
        for (int n = 0; n < 100; n++) {
            assertThat(Waits.on(others.sendMessageReturn(new Step(n, n)))).isEqualTo("a " + n);
        }
        assertThat(last).isEmpty();
    }

    @Promise("82.9")
    @Test
    void aSubscriberThatIsStuckHoldsUpItsTopicAlone() throws Exception {
        b.share(OTHERS, key -> (self, step) -> "b " + step.number);
        var others = a.cluster.reach(OTHERS);
        var here = a.cluster.topic(NEWS, TopicOptions.defaults());
        b.cluster.topic(NEWS, TopicOptions.defaults().withMailbox(ONE_WAITS)).subscribe(step -> {
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        soon().until(() -> here.subscribers() == 1);
        for (int n = 0; n < MANY; n++) {
            here.publish(new Step(1, n));
        }
        Waits.on(begun);
        for (int n = 0; n < 100; n++) {
            assertThat(Waits.on(others.sendMessageReturn(new Step(n, n)))).isEqualTo("b " + n);
        }
    }
}
