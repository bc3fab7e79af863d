package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.examples.frame.UsageException;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users of a relay, its agents, and those who would like to be one. */
@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class RelayTest {
    private static final String PASSWORD = "not a secret";
    private static final Map<String, String> ENVIRONMENT = Map.of("FIBRY_RELAY_PASSWORD", PASSWORD);
    private static final String HELLO = "GET / HTTP/1.1\r\n\r\n";

    @TempDir
    static Path folder;

    /**
     * Relay and agent trust each other. A stranger trusts the relay, and nobody trusts the stranger; its certificate has
     * the name of the agent, since TLS shows no certificate for which the relay has not asked.
     */
    @BeforeAll
    static void makeKeys() throws Exception {
        for (var name : new String[]{"relay", "agent", "stranger"}) {
            var made =
                    new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                            "-genkeypair", "-alias", name, "-keyalg", "EC", "-dname",
                            "CN=" + (name.equals("stranger") ? "agent" : name), "-ext",
                            "san=dns:localhost", "-validity", "2", "-storetype", "PKCS12", "-keystore",
                            file(name),
                            "-storepass", PASSWORD).inheritIO().start();
            assertThat(made.waitFor()).isZero();
        }
        trust("relay", "agent");
        trust("agent", "relay");
        trust("stranger", "relay");
    }

    private static String file(String name) {
        return folder.resolve(name + ".p12").toString();
    }

    private static KeyStore store(String name) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(Path.of(file(name)))) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static void trust(String who, String whom) throws Exception {
        var store = store(who);
        store.setCertificateEntry(whom, store(whom).getCertificate(whom));
        try (var out = Files.newOutputStream(Path.of(file(who)))) {
            store.store(out, PASSWORD.toCharArray());
        }
    }

    private static SSLContext keys(String name) throws Exception {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store(name), PASSWORD.toCharArray());
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(name));
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static Relay relay(String... more) {
        var args = new ArrayList<>(List.of("--port", "0", "--agents-port", "0", "--keys", file("relay")));
        args.addAll(List.of(more));
        return Relay.start(ENVIRONMENT, args.toArray(String[]::new));
    }

    private static RelayAgent agent(int agentPort, int target) {
        return RelayAgent.start(ENVIRONMENT, "--relay", "localhost:" + agentPort, "--to",
                "localhost:" + target,
                "--lines", "4", "--keys", file("agent"));
    }

    private static Server echo() {
        return Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.localPort(0),
                conn -> conn.getInputStream().transferTo(conn.getOutputStream()), null);
    }

    private static SSLSocket secured(String who, Relay relay) throws Exception {
        var socket = (SSLSocket) keys(who).getSocketFactory().createSocket("localhost", relay.agentPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void greet(int port) throws IOException {
        try (var client = new Raw(port)) {
            client.send("hello");
            assertThat(client.receive(5)).isEqualTo("hello");
        }
    }

    private static void isServedAgain(Relay relay) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions()
                .untilAsserted(() -> greet(relay.port()));
    }

    private static boolean isReset(Raw client) throws IOException {
        try {
            return client.socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void usersOfTheRelayGetToTheServiceOfTheAgent() throws Exception {
        try (var hello = TcpHello.start(0);
                var relay = relay();
                var agent = agent(relay.agentPort(), hello.port());
                var first = new Raw(relay.port());
                var second = new Raw(relay.port())) {
            first.send(Raw.REQUEST.repeat(3));
            second.send(Raw.REQUEST);
            assertThat(first.receive(Raw.KEEP.length() * 3)).isEqualTo(Raw.KEEP.repeat(3));
            assertThat(second.receive(Raw.KEEP.length())).isEqualTo(Raw.KEEP);
            assertThat(relay.connections()).isEqualTo(2);
            assertThat(agent).isNotNull();
        }
    }

    @Test
    void muchGoesBothWaysAndTheEndOfEachDirectionIsPassedOn() throws Exception {
        try (var echo = echo(); var relay = relay(); var agent = agent(relay.agentPort(), echo.port())) {
            for (int i = 0; i < 6; i++) { // more than there are lines: the agent opens new ones
                try (var client = new Raw(relay.port())) {
                    var text = ("line of " + i + "\n").repeat(20_000);
                    var sent = CompletableFuture.runAsync(() -> {
                        try {
                            client.send(text);
                            client.socket.shutdownOutput();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
                    assertThat(client.receiveAll()).isEqualTo(text);
                    sent.get();
                }
            }
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> relay.connections() == 0);
            assertThat(agent).isNotNull();
        }
    }

    @Test
    void whoHasNoCertificateThatTheRelayTrustsIsRefused() throws Exception {
        try (var echo = echo(); var relay = relay()) {
            try (var stranger = secured("stranger", relay)) {
                assertThatThrownBy(() -> {
                    stranger.startHandshake();
                    stranger.getInputStream().read(); // in TLS 1.3 the relay sees the certificate after that
                }).isInstanceOfAny(SSLException.class, SocketException.class);
            }
            try (var garbage = new Raw(relay.agentPort())) {
                garbage.send(HELLO);
                assertThat(garbage.receiveAll()).doesNotContain("HTTP");
            }
            try (var agent = agent(relay.agentPort(), echo.port())) {
                greet(relay.port());
                assertThat(agent).isNotNull();
            }
        }
    }

    /** The agent connects to {@code localhost}, for which both have a key; it trusts that of the relay alone. */
    @ParameterizedTest
    @CsvSource({"stranger, localhost", "relay, 127.0.0.1"})
    void anAgentServesNoRelayWithAnotherCertificateOrUnderAnotherName(String who, String name)
            throws Exception {
        var reasons = new LinkedBlockingQueue<Throwable>();
        var listening = ActorSystem.root().listen(event -> {
            if (event instanceof Failed failed) {
                reasons.add(failed.cause());
            }
        });
        try (var server = keys(who).getServerSocketFactory().createServerSocket(0, 10,
                InetAddress.getLoopbackAddress());
                var agent = RelayAgent.start(ENVIRONMENT, "--relay", name + ":" + server.getLocalPort(),
                        "--lines",
                        "1", "--keys", file("agent"));
                var line = (SSLSocket) server.accept()) {
            line.setSoTimeout(60_000);
            // The agent says why and closes, which resets the connection if it has not read all: that may come first.
            assertThatThrownBy(line::startHandshake).isInstanceOfAny(SSLException.class,
                    SocketException.class);
            assertThat(reasons.poll(1, TimeUnit.MINUTES)).isInstanceOf(SSLException.class)
                    .hasMessageContaining("certificate");
            assertThat(agent).isNotNull();
        } finally {
            listening.cancel();
        }
    }

    @Test
    void aUserOfAServiceThatIsNotThereIsRefusedAndOthersAreServedLater() throws Exception {
        int port;
        try (var gone = echo()) {
            port = gone.port();
        }
        try (var relay = relay(); var agent = agent(relay.agentPort(), port)) {
            for (int i = 0; i < 5; i++) { // more than there are lines: they are kept
                try (var client = new Raw(relay.port())) {
                    assertThat(isReset(client)).isTrue();
                }
            }
            try (var back = Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.localPort(port),
                    conn -> conn.getInputStream().transferTo(conn.getOutputStream()), null)) {
                greet(relay.port());
                assertThat(back.port()).isEqualTo(port);
            }
            assertThat(agent).isNotNull();
        }
    }

    @Test
    void aLineThatDiesWhenAUserComesIsReplacedByAnother() throws Exception {
        try (var echo = echo(); var relay = relay(); var dying = secured("agent", relay)) {
            dying.startHandshake();
            var taken = CompletableFuture.supplyAsync(() -> {
                try (dying) {
                    return dying.getInputStream().read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (var client = new Raw(relay.port())) {
                client.send("hello");
                assertThat(taken.get()).isEqualTo(Relay.USER); // and then it has gone
                try (var agent = agent(relay.agentPort(), echo.port())) {
                    assertThat(client.receive(5)).isEqualTo("hello");
                    assertThat(agent).isNotNull();
                }
            }
        }
    }

    @Test
    void aResetOfEitherEndReachesTheOther() throws Exception {
        var atService = new CompletableFuture<Integer>();
        try (var service = Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.localPort(0), conn -> {
            var in = conn.getInputStream();
            if (in.read() == 'r') {
                conn.getOutputStream().write("part".getBytes(StandardCharsets.US_ASCII));
                conn.setSoLinger(true, 0);
                return;
            }
            try {
                atService.complete(in.read());
            } catch (IOException reset) {
                atService.complete(Integer.MIN_VALUE);
            }
        }, null); var relay = relay(); var agent = agent(relay.agentPort(), service.port())) {
            try (var client = new Raw(relay.port())) {
                client.send("r");
                assertThatThrownBy(() -> drain(client.socket.getInputStream()))
                        .isInstanceOf(SocketException.class);
            }
            try (var client = new Raw(relay.port())) {
                client.send("w");
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> service.connections() == 1);
                client.socket.setSoLinger(true, 0);
            }
            assertThat(atService.get()).as("a reset, and not the end of what was sent")
                    .isEqualTo(Integer.MIN_VALUE);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> relay.connections() == 0);
            assertThat(agent).isNotNull();
        }
    }

    private static void drain(InputStream in) throws IOException {
        while (in.read() >= 0) {
        }
        throw new EOFException("an orderly end");
    }

    @Test
    void usersOfAnAgentThatDiesAreCutOffAndTheNextAgentServes() throws Exception {
        try (var echo = echo(); var relay = relay()) {
            try (var client = new Raw(relay.port())) {
                try (var agent = agent(relay.agentPort(), echo.port())) {
                    client.send("hello");
                    assertThat(client.receive(5)).isEqualTo("hello");
                    assertThat(agent).isNotNull();
                }
                assertThatThrownBy(() -> drain(client.socket.getInputStream()))
                        .isInstanceOf(SocketException.class);
            }
            try (var agent = agent(relay.agentPort(), echo.port())) {
                isServedAgain(relay);
                assertThat(agent).isNotNull();
            }
        }
    }

    /** Nothing of the process is left that could say that something is missing. */
    @Test
    void usersOfAnAgentThatIsKilledSeeNoOrderlyEnd() throws Exception {
        try (var echo = echo(); var relay = relay()) {
            var command = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), RelayAgent.class.getName(), "--relay",
                    "localhost:" + relay.agentPort(), "--to", "localhost:" + echo.port(), "--lines", "2",
                    "--keys", file("agent")).redirectErrorStream(true)
                    .redirectOutput(folder.resolve("agent.txt").toFile());
            command.environment().putAll(ENVIRONMENT);
            var agent = command.start();
            try {
                isServedAgain(relay);
                try (var client = new Raw(relay.port())) {
                    client.send("hello");
                    assertThat(client.receive(5)).isEqualTo("hello");
                    agent.destroyForcibly().waitFor();
                    assertThatThrownBy(() -> drain(client.socket.getInputStream()))
                            .isInstanceOf(SocketException.class);
                }
            } finally {
                agent.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void anAgentComesBackToARelayThatWasAway() throws Exception {
        try (var echo = echo()) {
            var first = relay();
            int port = first.agentPort();
            try (var agent = agent(port, echo.port())) {
                greet(first.port());
                first.close();
                try (var second = relay("--agents-port", String.valueOf(port))) {
                    isServedAgain(second);
                }
                assertThat(agent).isNotNull();
            }
        }
    }

    @Test
    void aSlowUserHoldsUpNobodyAndASilentOneIsCutOff() throws Exception {
        try (var endless = Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.localPort(0), conn -> {
            if (conn.getInputStream().read() == 'e') {
                while (true) {
                    conn.getOutputStream().write(new byte[64 * 1024]);
                }
            }
            conn.getOutputStream().write("done".getBytes(StandardCharsets.US_ASCII));
        }, null);
                var relay = relay();
                var agent = agent(relay.agentPort(), endless.port());
                var slow = new Raw(relay.port())) {
            slow.send("e"); // and reads nothing
            assertThat(slow.receive(1)).isEqualTo("\0");
            try (var other = new Raw(relay.port())) {
                other.send("d");
                assertThat(other.receiveAll()).isEqualTo("done");
            }
            try (var strict = relay("--idle", "1"); var silent = new Raw(strict.port())) {
                assertThat(isReset(silent)).isTrue();
            }
            assertThat(agent).isNotNull();
        }
    }

    @Test
    void aBadArgumentIsNamed() {
        assertThatThrownBy(() -> Relay.start(ENVIRONMENT, "--agents-port", "99999"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--agents-port wants a number from 0 to 65535, not '99999'\n");
        assertThatThrownBy(() -> Relay.start(Map.of(), "--keys", file("relay")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("FIBRY_RELAY_PASSWORD");
        assertThatThrownBy(() -> RelayAgent.start(ENVIRONMENT, "--to", "localhost"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--to wants HOST:PORT, not 'localhost'\n");
        assertThatThrownBy(() -> RelayAgent.start(ENVIRONMENT, "--relay", "localhost:99999"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--relay wants HOST:PORT, not 'localhost:99999'\n");
    }
}
