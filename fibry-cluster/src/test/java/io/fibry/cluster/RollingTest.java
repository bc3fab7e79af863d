package io.fibry.cluster;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes of the version before are replaced by those of today, one by one, while others ask. There is no release before: the older nodes run
 * today's classes, and say that they have the version before.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class RollingTest {
    private static final ClusterGroup<Integer, Integer, Integer> DOUBLES =
            ClusterGroup.of("doubles", Integer.class, Integer.class, Integer.class, number -> number);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final List<String> NAMES = List.of("a", "b", "c");

    @TempDir
    private Path folder;

    /** A node. */
    private final class Node implements AutoCloseable {
        final ActorScope scope;
        final Cluster cluster;

        Node(String name, int version) {
            scope = ActorSystem.configure(name).closeTimeout(LIMIT).open();
            var options = ClusterOptions.on(DatabaseSettings.of("file:" + folder.resolve("cluster.db"))
                    .lease(Duration.ofSeconds(30))).name(name).slices(16).askLimit(LIMIT);
            cluster = version == NodeDescription.VERSION ? Cluster.open(scope, options)
                    : JoinedCluster.open(scope, options, options.engine().orElseThrow(),
                            new NodeDescription(version, version - 1, name, 16, true), LIMIT);
        }

        Node share() {
            KeyedActors<Integer, Integer, Integer> unused = cluster.share(DOUBLES, scope.named("doubles")
                    .keyed(DOUBLES.keyOf()).newActorsWithReturnFrom(key -> (self, number) -> 2 * number));
            return this;
        }

        @Override
        public void close() {
            cluster.close();
            scope.close();
        }
    }

    /** Asks until it is told to end, and counts. */
    private static CompletableFuture<Void> ask(Recipient<Integer, Integer> doubles, AtomicBoolean goesOn,
            AtomicLong answered) {
        return CompletableFuture.runAsync(() -> {
            for (int number = 0; goesOn.get(); number = (number + 1) % 1000) {
                assertThat(doubles.sendMessageReturn(number).join()).isEqualTo(2 * number);
                answered.incrementAndGet();
            }
        }, task -> Thread.ofVirtual().start(task));
    }

    @Promise("92.11")
    @Test
    void nodesOfTheVersionBeforeAreReplacedAndNoAskFails() throws Exception {
        var before = NodeDescription.BEFORE;
        var nodes = new ArrayList<Node>();
        try (var olderFront = new Node("older front", before)) {
            NAMES.forEach(name -> nodes.add(new Node(name, before).share()));
            try (var newerFront = new Node("newer front", NodeDescription.VERSION)) {
                var goesOn = new AtomicBoolean(true);
                var answered = new AtomicLong();
                var callers = new ArrayList<CompletableFuture<Void>>();
                for (var front : List.of(olderFront, newerFront)) {
                    for (int i = 0; i < 4; i++) {
                        callers.add(ask(front.cluster.reach(DOUBLES), goesOn, answered));
                    }
                }
                // Forwards, and one of them back.
                replace(nodes, 0, NodeDescription.VERSION, answered);
                replace(nodes, 1, NodeDescription.VERSION, answered);
                replace(nodes, 1, before, answered);
                replace(nodes, 1, NodeDescription.VERSION, answered);
                replace(nodes, 2, NodeDescription.VERSION, answered);
                goesOn.set(false);
                for (var each : callers) {
                    each.get(60, TimeUnit.SECONDS);
                }
                assertThat(olderFront.cluster.uncertain() + newerFront.cluster.uncertain()).isZero();
                soon().untilAsserted(() -> assertThat(newerFront.cluster.members()).hasSize(5));
            }
        } finally {
            nodes.forEach(Node::close);
        }
    }

    private void replace(List<Node> nodes, int index, int version, AtomicLong answered) {
        awaitAnswers(answered);
        assertThat(nodes.get(index).cluster.leave(LIMIT)).isTrue();
        nodes.get(index).close();
        awaitAnswers(answered);
        nodes.set(index, new Node(NAMES.get(index), version).share());
        awaitAnswers(answered);
    }

    private static void awaitAnswers(AtomicLong answered) {
        for (var end = answered.get() + 500; answered.get() < end;) {
            Thread.onSpinWait();
        }
    }
}
