package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.cluster.engine.NodeCertificates;
import io.fibry.cluster.engine.NodeSecurity;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.testing.Promise;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class AdmittingServerSocketTest {
    /** The greeting, a version, a length, and an address with its port. */
    private static final byte[] OPENING =
            {'b', 'e', 'l', 'a', 0, 1, 0, 0, 4, 127, 0, 0, 1, 30, 97};
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir
    Path folder;

    private static AdmittingServerSocket open() throws IOException {
        return open(Duration.ofSeconds(20));
    }

    private static AdmittingServerSocket open(Duration longest) throws IOException {
        var server = new AdmittingServerSocket(new NodeAdmission.ByGreeting(), new NotUnderstood(), longest);
        server.bind(new InetSocketAddress(LOOPBACK, 0));
        return server;
    }

    /** As JGroups does: what is accepted is closed when the server is, and the thread that accepts has ended before that. */
    private static CompletableFuture<List<Socket>> acceptAll(AdmittingServerSocket server,
            Runnable whenAccepted) {
        return CompletableFuture.supplyAsync(() -> {
            var accepted = new ArrayList<Socket>();
            while (!server.isClosed()) {
                try {
                    accepted.add(server.accept());
                    whenAccepted.run();
                } catch (IOException closed) {
                    assertThat(server.isClosed()).isTrue();
                }
            }
            return accepted;
        }, task -> Thread.ofVirtual().start(task));
    }

    private static void assertIsClosedByTheNode(Socket client) throws IOException {
        client.setSoTimeout(20_000);
        try {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        } catch (SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private static void greet(Socket client) throws IOException {
        try {
            client.getOutputStream().write(OPENING);
        } catch (SocketException closed) {
            assertThat(closed).message().containsAnyOf("Broken pipe", "reset");
        }
    }

    @Promise("83.14")
    @Test
    void whoStandsAtTheDoorIsClosedWithIt() throws Exception {
        var server = open();
        var second = new CountDownLatch(1);
        var accepted = acceptAll(server, second::countDown);
        try (var client = new Socket(LOOPBACK, server.getLocalPort());
                var later = new Socket(LOOPBACK, server.getLocalPort())) {
            greet(later);
            // Connections are taken in the order in which they have come, so the other one is at the door.
            assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
            server.close();
            greet(client);
            assertIsClosedByTheNode(client);
            for (var each : accepted.get(20, TimeUnit.SECONDS)) {
                each.close();
            }
        }
    }

    /** The greeting and the end of the server come at the same time. */
    @Promise("83.14")
    @Test
    void whoIsAdmittedWhileTheDoorClosesIsClosed() throws Exception {
        for (var i = 0; i < 200; i++) {
            var server = open();
            var accepted = acceptAll(server, () -> {
            });
            try (var client = new Socket(LOOPBACK, server.getLocalPort())) {
                var greeting = CompletableFuture.runAsync(() -> {
                    try {
                        greet(client);
                    } catch (IOException wrong) {
                        throw new IllegalStateException(wrong);
                    }
                }, task -> Thread.ofVirtual().start(task));
                server.close();
                for (var each : accepted.get(20, TimeUnit.SECONDS)) {
                    each.close();
                }
                greeting.get(20, TimeUnit.SECONDS);
                assertIsClosedByTheNode(client);
            }
        }
    }

    /** Each byte comes before the door loses its patience with one that is silent. */
    @Promise("83.9")
    @Test
    void whoSendsAByteNowAndThenHoldsNoPlaceForLong() throws Exception {
        var ours = KeyStores.make(folder, "ours");
        var context =
                NodeCertificates.of(new NodeSecurity.MutualTls(ours, ours, KeyStores.PASSWORD)).context();
        var notUnderstood = new NotUnderstood();
        var server = new AdmittingServerSocket(new NodeAdmission.ByCertificate(context), notUnderstood,
                Duration.ofMillis(500));
        server.bind(new InetSocketAddress(LOOPBACK, 0));
        var accepted = acceptAll(server, () -> {
        });
        try (var client = new Socket(LOOPBACK, server.getLocalPort())) {
            // The beginning of a message of a handshake that says that it is long.
            client.getOutputStream().write(new byte[]{22, 3, 1, 63, 0});
            var sender = CompletableFuture.runAsync(() -> sendUntilClosed(client),
                    task -> Thread.ofVirtual().start(task));
            assertIsClosedByTheNode(client);
            sender.get(20, TimeUnit.SECONDS);
        }
        server.close();
        assertThat(accepted.get(20, TimeUnit.SECONDS)).isEmpty();
        assertThat(notUnderstood.count()).isEqualTo(1);
    }

    /** JGroups would read the rest on the thread that accepts. */
    @Promise("83.9")
    @Test
    void whoSaysTheGreetingAndThenLittleIsNotAccepted() throws Exception {
        for (int size = 1; size < OPENING.length; size++) {
            var server = open(Duration.ofMillis(300));
            var second = new CountDownLatch(1);
            var accepted = acceptAll(server, second::countDown);
            try (var client = new Socket(LOOPBACK, server.getLocalPort());
                    var node = new Socket(LOOPBACK, server.getLocalPort())) {
                client.getOutputStream().write(OPENING, 0, size);
                greet(node);
                assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
                assertIsClosedByTheNode(client);
                server.close();
                var sockets = accepted.get(20, TimeUnit.SECONDS);
                assertThat(sockets).hasSize(1);
                assertThat(sockets.getFirst().getInputStream().readNBytes(OPENING.length)).isEqualTo(OPENING);
                sockets.getFirst().close();
            }
        }
    }

    private static void sendUntilClosed(Socket client) {
        try {
            while (true) {
                client.getOutputStream().write(0);
                Thread.sleep(20);
            }
        } catch (IOException | InterruptedException closed) {
            assertThat(closed).isInstanceOf(IOException.class);
        }
    }

    /** Some part of the program has opened all files that the process may have, for a moment. */
    @Promise("83.9")
    @Test
    void aDoorThatCouldNotAcceptTriesAgain() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "the limit of open files is set by a shell");
        var out = folder.resolve("out").toFile();
        var process = new ProcessBuilder("bash", "-c", "ulimit -n 120 && exec \"$@\"", "scarce",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), Scarce.class.getName()).redirectErrorStream(true)
                .redirectOutput(out).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(out.toPath())).contains("could not accept a connection, and tries again")
                .contains("ACCEPTED 2, FAILED 0");
        assertThat(process.exitValue()).isZero();
    }

    /** Accepts a connection while no file can be opened, and another one after that. */
    static final class Scarce {
        public static void main(String[] arguments) throws Exception {
            var failures = new CountDownLatch(2);
            logged(failures::countDown);
            var server = open();
            var accepted = new AtomicInteger();
            var failed = new AtomicInteger();
            var first = new CompletableFuture<Void>();
            var two = new CompletableFuture<Void>();
            Thread.ofPlatform().daemon().start(() -> {
                while (!server.isClosed()) {
                    try (var socket = server.accept()) {
                        assertThat(socket.isConnected()).isTrue();
                        (accepted.incrementAndGet() == 1 ? first : two).complete(null);
                    } catch (IOException wrong) {
                        failed.incrementAndGet();
                    }
                }
            });
            try (var before = new Socket(LOOPBACK, server.getLocalPort())) {
                greet(before);
                first.get(20, TimeUnit.SECONDS);
            }
            var files = new ArrayList<FileInputStream>();
            try {
                while (files.size() < 1_000) {
                    files.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException full) {
                System.out.println(full.getMessage());
            }
            files.removeLast().close();
            try (var client = new Socket(LOOPBACK, server.getLocalPort())) {
                greet(client);
                // The door fails again and again, since the connection waits for it.
                assertThat(failures.await(20, TimeUnit.SECONDS)).isTrue();
                for (var each : files) {
                    each.close();
                }
                two.get(20, TimeUnit.SECONDS);
            }
            System.out.println("ACCEPTED " + accepted + ", FAILED " + failed);
            System.exit(0);
        }

        /** Calls an action whenever the door has logged something. */
        private static void logged(Runnable action) {
            var appender = new AppenderBase<ILoggingEvent>() {
                @Override
                protected void append(ILoggingEvent event) {
                    action.run();
                }
            };
            appender.start();
            ((Logger) LoggerFactory.getLogger(AdmittingServerSocket.class)).addAppender(appender);
        }
    }
}
