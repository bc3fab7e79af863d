package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.event.Undelivered.Cause;
import io.fibry.message.MessageFate;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.testing.Promise;
import io.fibry.testing.Sneaky;
import io.fibry.testing.Waits;
import io.fibry.topic.TopicOptions;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Code of the program that runs while its messages and answers are on their way, and throws. */
@Timeout(120)
class CodeOnTheWayTest {
    private static final int BROKEN = 99;
    /** Set on the threads that may make a broken record. The library reads records on others. */
    private static final ThreadLocal<Boolean> MAKES = new ThreadLocal<>();

    private static final ClusterGroup<Integer, Step, Told> STEPS =
            ClusterGroup.of("steps", Integer.class, Step.class, Told.class, Step::key);
    private static final ClusterGroup<String, Step, Told> JOBS =
            ClusterGroup.workers("jobs", Step.class, Told.class);
    private static final ClusterGroup<String, Step, Void> NEWS = ClusterGroup.topic("news", Step.class);

    private static final ClusterGroup<String, Step, Names> NAMERS =
            ClusterGroup.workers("namers", Step.class, Names.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();

    private record Step(int key, int what) {
        Step {
            check(what);
        }
    }

    private record Told(int what) {
        Told {
            check(what);
        }
    }

    private record Names(List<String> names) {
    }

    private static void check(int what) {
        if (what == BROKEN && MAKES.get() == null) {
            throw new AssertionError("an invariant of the program");
        }
    }

    private static Step broken() {
        MAKES.set(true);
        try {
            return new Step(1, BROKEN);
        } finally {
            MAKES.remove();
        }
    }

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
    }

    @Promise({"78.1", "80.16"})
    @Test
    void anErrorWhileAMessageIsReadRefusesThisMessageAlone() throws Exception {
        var a = node("a");
        var b = node("b");
        b.share(STEPS, key -> (self, step) -> new Told(step.what));
        var steps = a.cluster.reach(STEPS);
        assertThat(Waits.on(steps.sendMessageReturn(new Step(1, 1)))).isEqualTo(new Told(1));
        assertThat(steps.sendMessage(broken())).isTrue();
        var asked = steps.sendMessageReturn(broken());
        var tracked = steps.sendTracked(broken());
        assertThat(Waits.on(steps.sendMessageReturn(new Step(1, 2)))).isEqualTo(new Told(2));
        assertThat(Waits.failure(asked)).isInstanceOf(NotHandledException.class)
                .hasMessageContaining("does not know the message");
        assertThat(Waits.on(tracked)).isInstanceOfSatisfying(MessageFate.Refused.class,
                refused -> assertThat(refused.cause()).isEqualTo(Cause.NOT_UNDERSTOOD));
        soon().until(() -> a.events(ClusterEvent.NotHandled.class).stream()
                .anyMatch(told -> told.cause() == Cause.NOT_UNDERSTOOD));
        assertThat(b.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    @Promise({"78.1", "80.16"})
    @Test
    void anErrorWhileAMessageIsReadAtHomeRefusesThisMessageAlone() throws Exception {
        var a = node("a");
        var steps = a.share(STEPS, key -> (self, step) -> new Told(step.what));
        assertThat(Waits.on(steps.sendMessageReturn(new Step(1, 1)))).isEqualTo(new Told(1));
        assertThat(Waits.on(steps.sendTracked(broken()))).isInstanceOf(MessageFate.Refused.class);
        assertThat(Waits.on(steps.sendTracked(new Step(1, 2))).isHandled()).isTrue();
        assertThat(a.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    @Promise({"78.1", "80.16"})
    @Test
    void anErrorWhileAMessageToWorkersOrATopicIsReadRefusesThisMessageAlone() throws Exception {
        var a = node("a");
        var b = node("b");
        b.cluster.workers(JOBS, WorkerPool.openWithReturn(b.scope, "jobs", PoolOptions.fixed(1, 10),
                (Step step) -> new Told(step.what)));
        var received = new ConcurrentLinkedQueue<Step>();
        b.cluster.topic(NEWS, TopicOptions.defaults()).subscribe(received::add);
        var jobs = a.cluster.reach(JOBS);
        var news = a.cluster.topic(NEWS, TopicOptions.defaults());
        soon().until(() -> news.subscribers() == 1);
        news.publish(broken());
        news.publish(new Step(1, 2));
        assertThat(Waits.failure(jobs.sendMessageReturn(broken()))).isInstanceOf(NotHandledException.class);
        assertThat(Waits.on(jobs.sendMessageReturn(new Step(1, 2)))).isEqualTo(new Told(2));
        soon().until(() -> received.contains(new Step(1, 2)));
        assertThat(received).hasSize(1);
        assertThat(b.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    /** A list that reads when it is asked, and cannot any more. */
    private static final class Lazy extends AbstractList<String> {
        private final Throwable failure;

        Lazy(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public String get(int index) {
            throw Sneaky.thrown(failure);
        }

        @Override
        public int size() {
            return 1;
        }
    }

    @Promise("80.16")
    @Test
    void anAskFailsWithWhatItsAnswerThrowsWhileItIsWritten() throws Exception {
        var a = node("a");
        var b = node("b");
        b.cluster.workers(NAMERS, WorkerPool.openWithReturn(b.scope, "namers", PoolOptions.fixed(1, 10),
                (Step step) -> new Names(new Lazy(step.what == 1 ? new IllegalStateException("closed")
                        : new NoClassDefFoundError("closed")))));
        var namers = a.cluster.reach(NAMERS);
        for (var ask : Map.of(1, IllegalStateException.class, 2, NoClassDefFoundError.class).entrySet()) {
            assertThat(Waits.failure(namers.sendMessageReturn(new Step(1, ask.getKey()))))
                    .isInstanceOfSatisfying(RemoteException.class, told -> {
                        assertThat(told.className()).isEqualTo(ask.getValue().getName());
                        assertThat(told).hasMessageContaining("closed");
                    });
        }
        assertThat(b.cluster.leave(TestNode.LIMIT)).isTrue();
    }

    @Promise("80.16")
    @Test
    void anAskFailsWithTheErrorOfItsAnswerThatIsRead() throws Exception {
        var a = node("a");
        var b = node("b");
        b.share(STEPS, key -> (self, step) -> {
            MAKES.set(true);
            try {
                return new Told(BROKEN);
            } finally {
                MAKES.remove();
            }
        });
        var steps = a.cluster.reach(STEPS);
        assertThat(Waits.failure(steps.sendMessageReturn(new Step(1, 1)))).isInstanceOf(AssertionError.class)
                .hasMessage("an invariant of the program");
        assertThat(a.cluster.leave(TestNode.LIMIT)).isTrue();
    }
}
