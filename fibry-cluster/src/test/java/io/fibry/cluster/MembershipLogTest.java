package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.ActorSystem;
import io.fibry.cluster.database.DatabaseEngine;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class MembershipLogTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(Cluster.class);

    private final MemoryNetwork network = new MemoryNetwork();
    private final List<TestNode> nodes = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage().replaceAll(" \\(.*\\)", ""));
        }
    };

    @BeforeEach
    void listen() {
        LOGGER.setLevel(Level.INFO);
        appender.start();
        LOGGER.addAppender(appender);
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(TestNode::close);
        LOGGER.detachAppender(appender);
        LOGGER.setLevel(null);
    }

    private TestNode node(String name) {
        var node = new TestNode(name, network.node());
        nodes.add(node);
        return node;
    }

    private void awaitLine(String line) {
        soon().untilAsserted(() -> assertThat(lines).contains(line));
    }

    @Promise("80.11")
    @Test
    void aWatcherThatIsSlowIsNamedOnce() throws Exception {
        var mayEnd = new CountDownLatch(1);
        var began = new CountDownLatch(1);
        try (var scope = ActorSystem.open("watchers")) {
            var watchers = new Watchers(new MembershipLog("a"), 2);
            watchers.add(watchers.watcher(scope, event -> {
                began.countDown();
                try {
                    Waits.on(mayEnd);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }));
            watchers.tell(new ClusterEvent.CutOff());
            Waits.on(began);
            for (int i = 0; i < 10; i++) {
                watchers.tell(new ClusterEvent.CutOff());
            }
            mayEnd.countDown();
        }
        assertThat(lines).containsExactly("WARN A watcher of node 'a' does not keep up: 2 events wait for it,"
                + " and it misses some. It is told how many; what a watcher does must be quick");
    }

    @Promise("84.2")
    @Test
    void theLogTellsWhichNodesComeAndGo() {
        var a = node("a");
        var b = node("b");
        var c = node("c");
        awaitLine("INFO Node 'a' sees node 'c'");
        assertThat(c.cluster.leave(TestNode.LIMIT)).isTrue();
        awaitLine("INFO Node 'a' sees that node 'c' has left, and has handed over its keys");
        var d = node("d");
        network.kill(d.engine);
        d.isDead = true;
        awaitLine(
                "WARN Node 'a' has lost node 'd': its keys get actors on other nodes, and what was underway to it is"
                        + " uncertain");
        lines.clear();
        network.cut(a.engine);
        awaitLine(
                "WARN Node 'a' is cut off: it refuses messages to shared actors, and ends those that it"
                        + " has, until it serves again");
        network.heal();
        awaitLine("INFO Node 'a' serves, with 2 nodes in view");
        soon().until(() -> b.cluster.serves());
    }

    /** Of all loggers. A thread of a test before this one may still log something, so lines count that name a node or the database. */
    @Promise("84.2")
    @Test
    void nodesThatComeAtOnceAndLeaveSayLittle(@TempDir Path folder) throws Exception {
        var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        var level = root.getLevel();
        var events = new ConcurrentLinkedQueue<ILoggingEvent>();
        var own = folder.getFileName().toString();
        var all = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains(own)) {
                    events.add(event);
                }
            }
        };
        all.start();
        root.setLevel(Level.INFO);
        root.addAppender(all);
        try {
            var settings = DatabaseSettings.of("file:" + folder.resolve("cluster.db")).lease(TestNode.LIMIT);
            var starts = Stream.of("a", "b", "c").map(name -> CompletableFuture.supplyAsync(
                    () -> new TestNode(own + name, new DatabaseEngine(settings)),
                    task -> Thread.ofVirtual().start(task))).toList();
            for (var each : starts) {
                nodes.add(each.get());
            }
            soon().until(() -> nodes.stream().allMatch(node -> node.cluster.members().size() == 3));
            for (var node : nodes.reversed()) {
                assertThat(node.cluster.leave(TestNode.LIMIT)).isTrue();
                assertThat(node.cluster.notUnderstood()).as("these lines have other names").isZero();
            }
        } finally {
            root.detachAppender(all);
            root.setLevel(level);
        }
        assertThat(events).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getThrowableProxy()).isNull();
            assertThat(event.getLevel()).isEqualTo(Level.INFO);
        }).extracting(ILoggingEvent::getFormattedMessage).hasSizeLessThanOrEqualTo(15);
    }
}
