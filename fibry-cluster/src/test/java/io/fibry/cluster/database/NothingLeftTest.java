package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is closed leaves no thread, no socket and no port. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class NothingLeftTest {
    private static final ClusterGroup<Integer, Integer, String> ECHOES =
            ClusterGroup.of("echoes", Integer.class, Integer.class, String.class, key -> key);

    @TempDir
    private Path folder;

    private DatabaseSettings settings() {
        return DatabaseSettings.of("file:" + folder.resolve("cluster.db"));
    }

    /** What is made once in a process stays: classes, and the threads of pools that the whole JVM shares. */
    @BeforeEach
    void useOnce() throws Exception {
        for (var each : EngineMember.start(1, settings().cluster("before"))) {
            each.engine.close();
        }
    }

    private static void assertFree(int port) throws Exception {
        new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")).close();
    }

    @Promise("92.8")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofEngines(boolean encrypted) throws Exception {
        var settings =
                encrypted ? settings().encryption(() -> Optional.of(NodeTls.ofThisProcess())) : settings();
        EngineMember.start(1, settings.cluster("first")).getFirst().engine.close(); // loads the classes of TLS
        var before = new Leftovers();
        var two = EngineMember.start(2, settings);
        assertThat(two.get(0).send(two.get(1), "message")).isTrue();
        assertThat(two.get(1).messages.poll(60, TimeUnit.SECONDS)).isEqualTo("message");
        var ports = two.stream().map(each -> each.engine.port()).toList();
        two.forEach(each -> each.engine.close());
        two.forEach(each -> each.engine.close()); // once more does nothing
        before.assertNone();
        for (var port : ports) {
            assertFree(port);
        }
    }

    @Promise("92.8")
    @Test
    void ofAnEngineThatCouldNotJoin() throws Exception {
        var before = new Leftovers();
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            for (var wrong : List.of(settings().listen("127.0.0.1", taken.getLocalPort()),
                    DatabaseSettings.of("file:" + folder.resolve("none/cluster.db")))) {
                var member = new EngineMember("n", wrong);
                assertThatThrownBy(() -> member.engine.start(member.info, member))
                        .isInstanceOf(Exception.class);
            }
        }
        before.assertNone();
    }

    /** A server that is frozen takes connections, and says nothing. */
    @Promise("92.8")
    @Test
    void ofAnEngineWhoseDatabaseDoesNotAnswer() throws Exception {
        var before = new Leftovers();
        try (var frozen = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            var member = new EngineMember("n",
                    DatabaseSettings.of("jdbc:postgresql://127.0.0.1:" + frozen.getLocalPort() + "/bank"));
            assertThatThrownBy(() -> member.engine.start(member.info, member))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("cannot be used");
        }
        before.assertNone();
    }

    /** Nodes that share actors, which have been asked from both, and one of which has left before it is closed. */
    @Promise("92.8")
    @Test
    void ofNodes() throws Exception {
        var before = new Leftovers();
        try (var scope = ActorSystem.open("two");
                var first = Cluster.open(scope, ClusterOptions.on(settings()).name("a"));
                var second = Cluster.open(scope, ClusterOptions.on(settings()).name("b"))) {
            for (var each : List.of(first, second)) {
                var echoes = share(scope, each);
                for (int key = 0; key < 50; key++) {
                    assertThat(echoes.sendMessageReturn(key).get()).isEqualTo("echo of " + key);
                }
            }
            assertThat(first.leave(Duration.ofSeconds(20))).isTrue();
        }
        before.assertNone();
    }

    private static KeyedActors<Integer, Integer, String> share(ActorScope scope, Cluster cluster) {
        return cluster.share(ECHOES, scope.named("echoes of " + cluster.self().name()).keyed(ECHOES.keyOf())
                .newActorsWithReturnFrom(key -> (self, message) -> "echo of " + message));
    }
}
