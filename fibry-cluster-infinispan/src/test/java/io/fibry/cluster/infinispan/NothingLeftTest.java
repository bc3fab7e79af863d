package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.trial.Leftovers;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is closed leaves no thread, no socket and no port. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class NothingLeftTest {
    private static final ClusterGroup<Integer, Integer, String> ECHOES =
            ClusterGroup.of("echoes", Integer.class, Integer.class, String.class, key -> key);

    @TempDir
    private Path folder;

    /** What is made once in a process stays: classes, and the threads of pools that the whole JVM shares. */
    @BeforeEach
    void useOnce() throws Exception {
        for (var each : EngineMember.start(1, settings -> settings)) {
            each.engine.close();
        }
    }

    @Promise("83.14")
    @Test
    void ofEngines() throws Exception {
        assertNothingIsLeft(settings -> settings);
    }

    @Promise("83.14")
    @Test
    void ofEnginesWithCertificates() throws Exception {
        var keys = KeyStores.make(folder, "ours");
        assertNothingIsLeft(settings -> settings.certificates(keys, keys, KeyStores.PASSWORD));
    }

    private void assertNothingIsLeft(UnaryOperator<InfinispanSettings> with) throws Exception {
        var before = new Leftovers();
        var two = EngineMember.start(2, with);
        var ports = two.stream().map(each -> each.engine.channel().getName()).toList();
        two.forEach(each -> each.engine.close());
        two.forEach(each -> each.engine.close()); // once more does nothing
        before.assertNone();
        for (var each : ports) {
            assertFree(Integer.parseInt(each.substring(each.indexOf(':') + 1)));
        }
    }

    private static void assertFree(int port) throws Exception {
        new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")).close();
    }

    /** Nodes that share actors, which have been asked from both, and one of which has left before it is closed. */
    @Promise("83.14")
    @Test
    void ofNodesWithCertificates() throws Exception {
        var keys = KeyStores.make(folder, "ours");
        var ports = Ports.free(2);
        var hosts = ports.stream().map(each -> "127.0.0.1:" + each).toList();
        var before = new Leftovers();
        try (var scope = ActorSystem.open("two")) {
            var nodes = ports.stream().map(port -> CompletableFuture.supplyAsync(() -> Cluster.open(scope,
                    ClusterOptions.on("n" + port, new InfinispanEngine(InfinispanSettings
                            .of("test", "127.0.0.1", port, hosts)
                            .certificates(keys, keys, KeyStores.PASSWORD)))),
                    task -> Thread.ofVirtual().start(task))).toList();
            for (var each : nodes) {
                var echoes = share(scope, each.get());
                for (int key = 0; key < 50; key++) {
                    assertThat(echoes.sendMessageReturn(key).get()).isEqualTo("echo of " + key);
                }
            }
            assertThat(nodes.getFirst().get().leave(Duration.ofSeconds(20))).isTrue();
            for (var each : nodes) {
                each.get().close();
            }
        }
        before.assertNone();
        for (var each : ports) {
            assertFree(each);
        }
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(keys);
        }
    }

    private static KeyedActors<Integer, Integer, String> share(ActorScope scope, Cluster cluster) {
        return cluster.share(ECHOES, scope.named("echoes of " + cluster.self().name()).keyed(ECHOES.keyOf())
                .newActorsWithReturnFrom(key -> (self, message) -> "echo of " + message));
    }
}
