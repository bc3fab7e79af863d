package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ContextCarrier;
import io.fibry.TravellingCarrier;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** What goes with messages from node to node. */
class LetterContextTest {
    private static final int KEYS = 20;
    private static final String NOBODY = "nobody";
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.fibry");
    private static final ClusterGroup<Integer, Ask, String> GROUP =
            ClusterGroup.of("readers", Integer.class, Ask.class, String.class, Ask::key);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final ThreadLocal<String> local = new ThreadLocal<>();
    private final ThreadLocal<String> user = new ThreadLocal<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    /** Asks for what the handler finds; it asks the key that follows, so many times. */
    private record Ask(int key, int times) {
    }

    /** Carries the name of a user as text. */
    private final class UserCarrier implements TravellingCarrier {
        @Override
        public String name() {
            return "user";
        }

        @Override
        public Captured capture() {
            return captured(user.get());
        }

        @Override
        public Map<String, String> write() {
            if ("nameless".equals(user.get())) {
                var wrong = new HashMap<String, String>();
                wrong.put(null, "value");
                wrong.put("name", "named");
                return wrong;
            }
            return user.get() == null ? Map.of() : Map.of("name", user.get());
        }

        @Override
        public Captured read(Map<String, String> written) {
            if ("broken".equals(written.get("name"))) {
                throw new IllegalStateException("on purpose");
            }
            return captured(written.get("name"));
        }

        private Captured captured(@Nullable String name) {
            return () -> {
                var before = user.get();
                user.set(name);
                return () -> user.set(before);
            };
        }
    }

    @BeforeEach
    void readTheLog() {
        log.start();
        LOGGER.addAppender(log);
        LOGGER.setAdditive(false);
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
        LOGGER.detachAppender(log);
        LOGGER.setAdditive(true);
        MDC.clear();
        user.remove();
        local.remove();
    }

    private List<String> logged(String part) {
        return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(part)).toList();
    }

    private TestNode node(String name, Strategy strategy) {
        var scope = Scopes.configure().strategy(strategy.create()).carry(ContextCarrier.mdc())
                .carry(ContextCarrier.of(local)).carry(new UserCarrier()).open();
        var node = new TestNode(scope,
                ClusterOptions.on(name, network.node()).slices(16).askLimit(TestNode.LIMIT));
        nodes.add(node);
        return node;
    }

    private static String orNobody(@Nullable String value) {
        return Objects.requireNonNullElse(value, NOBODY);
    }

    private KeyedActors<Integer, Ask, String> readers(TestNode node) {
        var reached = node.cluster.reach(GROUP);
        var name = node.cluster.self().name();
        return node.share(GROUP, key -> (self, ask) -> {
            seen.add(orNobody(MDC.get("request")));
            return ask.times() > 0 ? reached.sendMessageReturnWait(new Ask(key + 1, ask.times() - 1))
                    : name + "/" + orNobody(MDC.get("request")) + "/" + orNobody(user.get()) + "/"
                            + orNobody(local.get());
        });
    }

    @Promise("82.1")
    @EveryStrategy
    void whatCanBeWrittenCrossesAndWhatCannotIsAtHomeOnly(Strategy strategy) throws Exception {
        var first = readers(node("a", strategy));
        readers(node("b", strategy));
        // While slices move, messages to keys of a go by way of its member, and leave the thread-local value behind.
        soon().until(() -> nodes.getFirst().cluster.homes().stream().anyMatch(
                homes -> nodes.stream().allMatch(node -> homes.countOf(node.cluster.self()) == 8)));
        var homes = new HashMap<Integer, String>();
        soon().until(() -> {
            for (int key = 0; key < KEYS; key++) {
                homes.put(key, Waits.on(first.sendMessageReturn(new Ask(key, 0))));
            }
            return homes.values().stream().distinct().count() == 2;
        });
        assertThat(homes.values()).allMatch(answer -> answer.endsWith("/nobody/nobody/nobody"));
        assertThat(logged("ThreadLocalCarrier")).as("once for each node, with the remedy")
                .hasSizeBetween(1, 2)
                .allMatch(line -> line.contains("does not cross") && line.contains("TravellingCarrier"));
        MDC.put("request", "r-1");
        user.set("ann");
        local.set("stays");
        for (int key = 0; key < KEYS; key++) {
            for (int times : List.of(0, 1, 3)) {
                assertThat(Waits.on(first.sendMessageReturn(new Ask(key, times))))
                        .matches("[ab]/r-1/ann/(nobody|stays)"); // it stays where messages stay
            }
            assertThat(Waits.on(first.sendMessageReturn(new Ask(key, 0))))
                    .matches(strategy == Strategy.FIBERS ? "a/r-1/ann/stays|b/r-1/ann/nobody"
                            : "a/r-1/ann/(stays|nobody)|b/r-1/ann/nobody");
            seen.clear();
            assertThat(Waits.on(first.sendTracked(new Ask(key, 2))).isHandled()).isTrue();
            assertThat(first.sendMessage(new Ask(key, 2))).isTrue();
            soon().until(() -> seen.size() == 6);
            assertThat(seen).containsOnly("r-1");
        }
        MDC.clear();
        user.remove();
        for (int key = 0; key < KEYS; key++) {
            assertThat(Waits.on(first.sendMessageReturn(new Ask(key, 2))))
                    .matches("[ab]/nobody/nobody/(nobody|stays)");
        }
        assertThat(logged("ThreadLocalCarrier")).hasSizeBetween(1, 2);
    }

    @Promise("82.1")
    @Test
    void aMessageThatWaitedForAHomeHasTheContextOfItsSender() throws Exception {
        var reached = node("a", Strategy.FIBERS).cluster.reach(GROUP);
        MDC.put("request", "first");
        var first = reached.sendMessageReturn(new Ask(1, 0));
        MDC.put("request", "second");
        var second = reached.sendMessageReturn(new Ask(1, 0));
        MDC.clear();
        var third = reached.sendMessageReturn(new Ask(1, 0));
        MDC.put("request", "of b");
        readers(node("b", Strategy.FIBERS));
        assertThat(Waits.on(first)).isEqualTo("b/first/nobody/nobody");
        assertThat(Waits.on(second)).isEqualTo("b/second/nobody/nobody");
        assertThat(Waits.on(third)).isEqualTo("b/nobody/nobody/nobody");
    }

    @Promise("82.1")
    @Test
    void moreThanEightKibibytesAreLeftOutAndToldOnce() throws Exception {
        readers(node("b", Strategy.FIBERS));
        var sender = node("a", Strategy.FIBERS).cluster.reach(GROUP);
        MDC.put("request", "x".repeat(LetterContext.MOST_BYTES));
        user.set("ann");
        for (int n = 0; n < 3; n++) {
            assertThat(Waits.on(sender.sendMessageReturn(new Ask(1, 0)))).isEqualTo("b/nobody/ann/nobody");
        }
        assertThat(logged("at most 8192 bytes")).singleElement().asString()
                .contains("'request' of the context carrier 'mdc'", "8192 characters", "part of the message");
        var most = "x".repeat(LetterContext.MOST_BYTES - 6 - "mdc".length() - "request".length());
        MDC.put("request", most);
        user.remove();
        assertThat(Waits.on(sender.sendMessageReturn(new Ask(1, 0))))
                .isEqualTo("b/" + most + "/nobody/nobody");
    }

    @Promise("82.1")
    @Test
    void aCarrierThatCannotReadHarmsNoMessage() throws Exception {
        readers(node("b", Strategy.FIBERS));
        var sender = node("a", Strategy.FIBERS).cluster.reach(GROUP);
        MDC.put("request", "r-1");
        user.set("broken");
        for (int n = 0; n < 3; n++) {
            assertThat(Waits.on(sender.sendMessageReturn(new Ask(1, 0)))).isEqualTo("b/r-1/nobody/nobody");
        }
        assertThat(logged("failed to read")).singleElement().asString().contains("UserCarrier");
    }

    @Promise("82.1")
    @Test
    void aCarrierThatWritesValuesWithoutANameHarmsNoMessage() throws Exception {
        readers(node("b", Strategy.FIBERS));
        var sender = node("a", Strategy.FIBERS).cluster.reach(GROUP);
        user.set("nameless");
        assertThat(Waits.on(sender.sendMessageReturn(new Ask(1, 0)))).isEqualTo("b/nobody/named/nobody");
    }

    @Promise("82.1")
    @Test
    void bytesThatAreNoContextAreRefused() {
        for (int length = 1; length < 6; length++) {
            var cut = new byte[length];
            cut[length - 1] = 1;
            assertThatThrownBy(() -> LetterContext.read(cut)).isInstanceOf(ClusterException.class)
                    .hasMessageContaining("cut off");
        }
        assertThatThrownBy(() -> LetterBody.of(new byte[]{1, 0, 9, 5})).isInstanceOf(ClusterException.class)
                .hasMessageContaining("cut off");
    }
}
