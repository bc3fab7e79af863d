package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.event.Failed;
import io.fibry.robust.Soon;
import io.fibry.testing.Recorder;
import java.net.InetAddress;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpTlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static SSLContext tls;
    private final Recorder recorder = new Recorder();

    /** A key for localhost that both sides know; made by keytool for these tests alone. */
    @BeforeAll
    static void load() throws Exception {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = TcpTlsTest.class.getResourceAsStream("localhost.p12")) {
            keys.load(in, PASSWORD);
        }
        var mine = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        mine.init(keys, PASSWORD);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        tls = SSLContext.getInstance("TLS");
        tls.init(mine.getKeyManagers(), trusted.getTrustManagers(), null);
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
            Soon.until("it has ended", () -> server.connections() == 0);
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
        try (var scope = ActorScope.configure("test").listener(recorder).open();
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
        try (var scope = ActorScope.configure("test").listener(recorder).open();
                var server = Stereotypes.with(scope.anonymous()).tcpAcceptor(
                        options().idleTimeout(Duration.ofMillis(200)), Lines::echo, null);
                var client = new Client(server)) {
            assertThat(client.isCut()).isTrue();
            assertThat(recorder.await(Failed.class).cause()).hasMessageContaining("its idleTimeout");
            Soon.until("it has ended", () -> server.connections() == 0);
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
}
