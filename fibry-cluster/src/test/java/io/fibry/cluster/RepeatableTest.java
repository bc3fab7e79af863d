package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorContext;
import io.fibry.AskTimeoutException;
import io.fibry.Recipient;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.function.ContextReplyHandler;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Asks that are repeated when their node is lost. */
class RepeatableTest {
    private static final ClusterGroup<Integer, Question, String> QUESTIONS = ClusterGroup.of("questions",
            Integer.class, Question.class, String.class, Question::key);

    private static final int KEYS = 60;

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final ConcurrentLinkedQueue<Question> held = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    /** Whether the nodes that never answer do so: a handler that never ends would hold up the move of its slice. */
    private volatile boolean isQuiet = true;

    private sealed interface Question {
        int key();
    }

    private record Safe(int key, int number) implements Question, Repeatable {
    }

    private record Once(int key, int number) implements Question {
    }

    /** Answers with the name of its node, or never. */
    private final class Answering implements ContextReplyHandler<Question, String> {
        private final String node;
        private final boolean isSilent;

        Answering(String node, boolean isSilent) {
            this.node = node;
            this.isSilent = isSilent;
        }

        @Override
        public String handle(ActorContext<Question, String> self, Question question) throws Exception {
            if (isSilent && isQuiet && question.key() < KEYS) {
                held.add(question);
                mayEnd.await();
            }
            return node;
        }
    }

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private Recipient<Question, String> answering(TestNode node, boolean isSilent) {
        var name = node.cluster.self().name();
        return node.share(QUESTIONS, key -> new Answering(name, isSilent));
    }

    private void kill(TestNode node) {
        network.kill(node.engine);
        node.isDead = true;
    }

    /** Whether all three nodes have their share of the 16 slices, which is 6 at most, so that none moves away from the third. */
    private static boolean isSpread(TestNode node) {
        var homes = node.cluster.homes();
        return homes.size() == 1 && node.cluster.members().stream()
                .allMatch(member -> homes.getFirst().countOf(member) >= 4
                        && homes.getFirst().countOf(member) <= 6)
                && homes.getFirst().slices().stream().allMatch(Optional::isPresent);
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        network.heal(); // a node that is cut off waits for the others before it leaves
        nodes.reversed().forEach(TestNode::close);
    }

    /** Asks until a key's home is the node that never answers; returns the asks that are open. */
    private Map<Integer, CompletableFuture<String>> askUntilHeld(Recipient<Question, String> from) {
        var asks = new HashMap<Integer, CompletableFuture<String>>();
        soon().until(() -> {
            for (int key = 0; key < KEYS; key++) {
                var number = key;
                asks.computeIfAbsent(key, missing -> from.sendMessageReturn(new Safe(number, 1)));
            }
            asks.values().removeIf(CompletableFuture::isDone);
            return held.size() > 3;
        });
        return asks;
    }

    @Promise("81.1")
    @Test
    void anAskThatIsLostWithItsNodeIsRepeatedElsewhere() throws Exception {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        var first = answering(a, false);
        answering(b, false);
        // So the third one claims its own slices alone, and none moves away from it.
        soon().until(() -> a.cluster.homes().stream().anyMatch(homes -> homes.countOf(a.cluster.self()) == 8
                && homes.countOf(b.cluster.self()) == 8));
        isQuiet = false;
        answering(c, true);
        soon().until(() -> isSpread(a));
        isQuiet = true;
        var asks = askUntilHeld(first);
        var key = held.element().key();
        var once = first.sendMessageReturn(new Once(key, 2));
        var behind = first.sendMessageReturn(new Safe(key, 3));
        var tracked = first.sendTracked(new Safe(key, 4));
        // The stream keeps the order: c has them when it has what follows.
        for (int other = KEYS; other < 2 * KEYS; other++) {
            assertThat(Waits.on(first.sendMessageReturn(new Once(other, 1)))).isNotNull();
        }
        kill(c);
        assertThat(Waits.failure(once)).isInstanceOf(UncertainException.class)
                .hasMessageContaining("implement Repeatable");
        for (var each : asks.values()) {
            assertThat(Waits.on(each)).isIn("a", "b");
        }
        assertThat(Waits.on(behind)).isIn("a", "b");
        assertThat(Waits.failure(tracked)).isInstanceOf(UncertainException.class);
    }

    @Promise("81.1")
    @Test
    void itIsRepeatedUntilItsTimeIsOver() throws Exception {
        var a = node("a");
        node("b");
        var c = node("c");
        answering(c, true);
        var asking = a.cluster.reach(QUESTIONS);
        soon().until(() -> a.cluster.homes().stream()
                .anyMatch(homes -> homes.countOf(c.cluster.self()) == 16));
        var asked = asking.ask(new Safe(1, 1), Duration.ofSeconds(10));
        soon().until(() -> !held.isEmpty());
        kill(c);
        soon().until(() -> a.cluster.members().size() == 2);
        assertThat(Waits.failure(asked)).isInstanceOf(AskTimeoutException.class);
        var second = asking.sendMessageReturn(new Safe(1, 2));
        answering(a, false);
        assertThat(Waits.on(second)).isEqualTo("a");
    }

    @Promise("81.1")
    @Test
    void aRepetitionComesBeforeAllThatItsNewHomeGetsLater() throws Exception {
        var group = ClusterGroup.of("orders", Integer.class, Question.class, Integer.class, Question::key);
        var handled = new ConcurrentLinkedQueue<Integer>();
        var a = node("a");
        var b = node("b");
        var c = node("c");
        c.share(group, key -> (self, question) -> {
            held.add(question);
            mayEnd.await();
            return 0;
        });
        var asking = a.cluster.reach(group);
        var asks = new ArrayList<CompletableFuture<Integer>>();
        asks.add(asking.sendMessageReturn(new Safe(1, 1)));
        soon().until(() -> !held.isEmpty());
        for (int number = 2; number <= 100; number++) {
            asks.add(asking.sendMessageReturn(new Safe(1, number)));
        }
        kill(c);
        for (int number = 101; number <= 200; number++) {
            asks.add(asking.sendMessageReturn(new Safe(1, number)));
        }
        b.share(group, key -> (self, question) -> {
            handled.add(((Safe) question).number());
            return ((Safe) question).number();
        });
        for (int number = 1; number <= 200; number++) {
            assertThat(Waits.on(asks.get(number - 1))).isEqualTo(number);
        }
        assertThat(new ArrayList<>(handled)).isSorted().doesNotHaveDuplicates().hasSize(200);
    }

    @Promise("81.1")
    @Test
    void aNodeThatIsCutOffRepeatsNothing() throws Exception {
        var a = node("a");
        node("b");
        var c = node("c");
        answering(c, true);
        var asked = a.cluster.reach(QUESTIONS).sendMessageReturn(new Safe(1, 1));
        soon().until(() -> !held.isEmpty());
        network.cut(a.engine);
        assertThat(Waits.failure(asked)).isInstanceOf(UncertainException.class)
                .hasMessageContaining("'c' was lost");
    }
}
