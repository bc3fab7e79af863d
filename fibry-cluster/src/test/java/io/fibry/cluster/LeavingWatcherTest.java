package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import org.junit.jupiter.api.Test;

/** A watcher may end its node, when it is cut off for instance. */
class LeavingWatcherTest {
    /** A watcher that leaves when all of them are about to. */
    private static CompletableFuture<Boolean> left(Cluster cluster, Phaser all) {
        var left = new CompletableFuture<Boolean>();
        cluster.watch(event -> {
            if (!left.isDone()) {
                all.arriveAndAwaitAdvance();
                left.complete(cluster.leave(TestNode.LIMIT));
            }
        });
        return left;
    }

    @Promise("80.8")
    @Test
    void aWatcherOfSeveralNodesMayLeave() throws Exception {
        var network = new MemoryNetwork();
        try (var a = new TestNode("a", network.node()); var b = new TestNode("b", network.node())) {
            assertThat(Waits.on(left(b.cluster, new Phaser(1)))).isTrue();
            assertThat(b.cluster.serves()).isFalse();
            assertThat(a.cluster.serves()).isTrue();
        }
    }

    @Promise("79.3")
    @Test
    void aWatcherOfANodeThatIsAloneMayLeave() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            assertThat(Waits.on(left(cluster, new Phaser(1)))).isTrue();
            assertThat(cluster.serves()).isFalse();
        }
    }

    @Promise("79.3")
    @Test
    void twoWatchersMayLeave() throws Exception {
        try (var scope = ActorSystem.open("bank");
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            var both = new Phaser(2);
            var first = left(cluster, both);
            var second = left(cluster, both);
            // One of them leaves; the other one is told that this has not ended yet.
            assertThat(Waits.on(first)).isNotEqualTo(Waits.on(second));
            assertThat(cluster.serves()).isFalse();
            assertThat(cluster.leave(TestNode.LIMIT)).isTrue();
        }
    }

    private static void requireInTime(Cluster cluster, Duration time) throws Exception {
        var busy = new CountDownLatch(1);
        var told = new ConcurrentLinkedQueue<ClusterEvent>();
        cluster.watch(event -> {
            busy.countDown();
            told.add(event);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        Waits.on(busy);
        // The scope would wait for an hour.
        assertThat(cluster.leave(time)).isTrue();
        assertThat(told).hasSize(1);
        assertThatThrownBy(() -> cluster.watch(told::add)).isInstanceOf(ClusterException.class)
                .hasMessageContaining("The node '" + cluster.self().name() + "' has left");
    }

    @Promise("80.8")
    @Test
    void aWatcherThatIsBusyHoldsUpNoLeave() throws Exception {
        try (var scope = ActorSystem.configure("bank").closeTimeout(Duration.ofHours(1)).open();
                var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            requireInTime(cluster, Duration.ofSeconds(1));
        }
        var network = new MemoryNetwork();
        try (var a = new TestNode("a", network.node()); var b = new TestNode("b", network.node())) {
            requireInTime(b.cluster, Duration.ofSeconds(10)); // the watcher is waited for as long
            assertThat(a.cluster.serves()).isTrue();
        }
    }
}
