package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A watcher may end its node, when it is cut off for instance. */
class LeavingWatcherTest {
    private static CompletableFuture<Boolean> left(Cluster cluster) {
        var left = new CompletableFuture<Boolean>();
        cluster.watch(event -> {
            if (!left.isDone()) {
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
            assertThat(Waits.on(left(b.cluster))).isTrue();
            assertThat(b.cluster.serves()).isFalse();
            assertThat(a.cluster.serves()).isTrue();
        }
    }

    @Promise("79.3")
    @Test
    void aWatcherOfANodeThatIsAloneMayLeave() throws Exception {
        try (var scope = ActorScope.open("bank"); var cluster = Cluster.open(scope, ClusterOptions.alone())) {
            assertThat(Waits.on(left(cluster))).isTrue();
            assertThat(cluster.serves()).isFalse();
        }
    }
}
