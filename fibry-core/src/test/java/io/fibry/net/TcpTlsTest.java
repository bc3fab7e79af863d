package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import java.net.InetAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TcpTlsTest {
    private static SSLContext tls;
    private final Recorder recorder = new Recorder();

    @BeforeAll
    static void load() throws Exception {
        tls = LocalTls.context();
    }

    private static TcpOptions options() {
        return TcpOptions.localPort(0).tls(tls);
    }

    private static Client secure(Server server) throws Exception {
        return new Client(
                tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.port()));
    }

    @Test
    void aConnectionSpeaksTls() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptor(options(), conn -> {
            assertThat(conn).isInstanceOf(SSLSocket.class);
            Lines.echo(conn);
        }, null); var client = secure(server)) {
            assertThat(client.ask("hello")).isEqualTo("hello");
            assertThat(client.half().rest()).isEmpty();
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    @Test
    void aTalkSpeaksTlsBothWaysAtOnce() throws Exception {
        try (var server = Stereotypes.def().tcpAcceptor(options(), (Connection<String> connection) -> {
            var in = Lines.reader(connection.socket());
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                connection.actor().sendMessage(line);
            }
        }, (connection, line) -> Lines.write(connection.socket(), line), null);
                var client = secure(server)) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.ask("" + i)).isEqualTo("" + i);
            }
            client.send("last\n");
            assertThat(client.half().rest()).isEqualTo("last\n");
        }
    }

    @Test
    void garbageInsteadOfAHandshakeIsNamedAndHarmless() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(options(), Lines::echo, null)) {
            try (var client = new Client(server)) {
                client.send("GET / HTTP/1.1\r\n\r\n");
                assertThat(client.isCut()).isTrue();
                var failed = recorder.await(Failed.class);
                assertThat(failed.actor()).contains(client.address());
                assertThat(failed.cause()).isInstanceOf(SSLException.class);
            }
            try (var client = secure(server)) {
                assertThat(client.ask("hello")).isEqualTo("hello");
            }
        }
    }

    @Test
    void aHandshakeThatNeverEndsIsCutAtTheDeadline() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(
                        options().idleTimeout(Duration.ofMillis(200)), Lines::echo, null);
                var client = new Client(server)) {
            assertThat(client.isCut()).isTrue();
            assertThat(recorder.await(Failed.class).cause()).hasMessageContaining("its idleTimeout");
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    @Test
    void aStopByForceEndsTlsConnections() throws Exception {
        var sockets = OpenSockets.count();
        var server = Stereotypes.def().tcpAcceptorSilent(options(), Lines::echo, null);
        try (var client = secure(server); var silent = new Client(server)) {
            client.ask("hello");
            server.close();
            assertThat(client.isCut()).isTrue();
            assertThat(silent.isCut()).isTrue();
        }
        OpenSockets.areBack(sockets);
    }

    /** The JDK's TLS says for ever that the end is reached, also when the socket is closed. */
    @Test
    @Promise("15.2")
    void aWorkerThatReadsOnAfterTheEndIsEnded() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(options(), conn -> {
                    var in = conn.getInputStream();
                    while (in.read() != '\n' || conn.getInputStream().read(new byte[1]) != 0) {
                    }
                }, null);
                var client = secure(server)) {
            client.send("no line").half();
            assertThat(recorder.await(Failed.class).cause()).hasMessageContaining(client.address())
                    .hasMessageContaining("has read on 1000 times after the end");
            Waits.until("it has ended", () -> server.connections() == 0);
        }
    }

    /** To end TLS orderly is to write, for which the actor's write would have to end first. */
    @Test
    @Promise("15.1")
    void aWorkersFailureEndsAConnectionWhoseActorCannotWrite() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(options(),
                        (Connection<String> connection) -> {
                            connection.actor().sendMessage("much");
                            connection.socket().getInputStream().read();
                            throw new IllegalStateException("as it must");
                        }, (connection, message) -> {
                            var out = connection.socket().getOutputStream();
                            while (true) {
                                out.write(new byte[100_000]);
                            }
                        }, null);
                var client = secure(server)) {
            assertThat(client.socket.getInputStream().read()).isZero();
            client.send("x");
            assertThat(recorder.await(Failed.class).cause()).hasMessage("as it must");
            Waits.until("it has ended", () -> server.connections() == 0);
            recorder.only(Failed.class);
        }
    }

    /** What workers may do with an SSLSocket they may do with theirs. */
    @Test
    void theSocketPassesOnWhatItIsAskedFor() throws Exception {
        try (var scope = ActorSystem.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(options(), conn -> {
                    var socket = (SSLSocket) conn;
                    socket.setSoTimeout(9_000);
                    socket.setOption(java.net.StandardSocketOptions.SO_KEEPALIVE, true);
                    assertThat(socket.getSoTimeout()).isEqualTo(9_000);
                    assertThat(socket.getKeepAlive()).isTrue();
                    assertThat(socket.getSession().getProtocol()).startsWith("TLS");
                    assertThat(socket.getUseClientMode()).isFalse();
                    assertThat(socket.isConnected() && socket.isBound() && !socket.isClosed()).isTrue();
                    assertThat(socket.getPort()).isPositive();
                    assertThat(socket.getInetAddress().isLoopbackAddress()).isTrue();
                    assertThat(socket.getInputStream()).isSameAs(socket.getInputStream());
                    Lines.write(socket, "fine " + socket.getRemoteSocketAddress());
                    socket.shutdownOutput();
                    assertThat(socket.isOutputShutdown()).isTrue();
                }, null);
                var client = secure(server)) {
            assertThat(client.rest()).contains("fine").contains(client.address());
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }
}
