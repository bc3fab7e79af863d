package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpKeys;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.TcpOptions;
import io.fibry.net.TlsOptions;
import io.fibry.net.TlsOptions.Clients;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Certificates of clients, and versions of TLS. */
class ClientCertificatesTest {
    @TempDir
    private static Path folder;

    private static SSLContext keys;
    private static SSLContext trustOnly;

    private final ActorScope scope = ActorSystem.open("certificates");
    private final HttpRoutes routes = HttpRoutes.none().get("/who",
            call -> HttpAnswer.text(call.certificates()
                    .stream().findFirst().map(X509Certificate::getSubjectX500Principal).map(Object::toString)
                    .orElse("a stranger")));

    /** What reads and writes bytes. */
    private enum On {
        CORE, WEB, TCP
    }

    @BeforeAll
    static void makeKeys() throws Exception {
        keys = HttpKeys.selfSigned(folder);
        // Trusts the server, and has no key of its own.
        var certificate = certificateOf(keys);
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("server", certificate);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        trustOnly = SSLContext.getInstance("TLS");
        trustOnly.init(null, trust.getTrustManagers(), null);
    }

    private static java.security.cert.Certificate certificateOf(SSLContext context) throws Exception {
        try (var scope = ActorSystem.open("key");
                var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0).tls(context),
                        HttpRoutes.none());
                var socket =
                        (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(),
                                server.port())) {
            socket.startHandshake();
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @AfterEach
    void stop() {
        scope.close();
    }

    private int serve(On engine, TlsOptions tls) {
        return switch (engine) {
            case CORE -> Stereotypes.with(scope.anonymous())
                    .embeddedHttpServer(HttpOptions.localPort(0).tls(tls), routes).port();
            case WEB -> WebServer.start(scope.anonymous(), WebOptions.localPort(0).tls(tls), routes).port();
            case TCP -> Stereotypes.with(scope.anonymous())
                    .tcpAcceptorSilent(TcpOptions.localPort(0).tls(tls), socket -> {
                        var session = ((SSLSocket) socket).getSession();
                        socket.getInputStream().read();
                        String name;
                        try {
                            name = session.getPeerPrincipal().toString();
                        } catch (javax.net.ssl.SSLPeerUnverifiedException none) {
                            name = "a stranger";
                        }
                        socket.getOutputStream().write(name.getBytes(StandardCharsets.UTF_8));
                    }, null).port();
        };
    }

    private static String ask(int port, SSLContext client, String... protocols) throws IOException {
        try (var socket =
                (SSLSocket) client.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(Patience.MILLIS);
            if (protocols.length > 0) {
                socket.setEnabledProtocols(protocols);
            }
            socket.getOutputStream()
                    .write("GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Promise("76.8")
    @ParameterizedTest
    @EnumSource(On.class)
    void aClientIsKnownByItsCertificate(On engine) throws Exception {
        var asked = serve(engine, TlsOptions.of(keys).clients(Clients.ASKED));
        assertThat(ask(asked, keys)).contains("CN=localhost");
        assertThat(ask(asked, trustOnly)).contains("a stranger");
        var required = serve(engine, TlsOptions.of(keys).clients(Clients.REQUIRED));
        assertThat(ask(required, keys)).contains("CN=localhost");
        assertThatThrownBy(() -> refused(ask(required, trustOnly))).isInstanceOf(IOException.class);
        assertThat(ask(required, keys)).contains("CN=localhost");
        var anonymous = serve(engine, TlsOptions.of(keys));
        assertThat(ask(anonymous, keys)).contains("a stranger");
    }

    /** With TLS 1.3 a client may learn by the end alone that it was refused. */
    private static void refused(String answer) throws IOException {
        if (answer.isEmpty()) {
            throw new IOException("the connection has ended");
        }
    }

    @Promise("76.8")
    @ParameterizedTest
    @EnumSource(On.class)
    void versionsOfTlsAreChosen(On engine) throws Exception {
        var port = serve(engine, TlsOptions.of(keys).protocols("TLSv1.3"));
        assertThat(ask(port, keys, "TLSv1.3")).contains("a stranger");
        assertThatThrownBy(() -> refused(ask(port, keys, "TLSv1.2"))).isInstanceOf(IOException.class);
        assertThat(ask(port, keys)).contains("a stranger");
    }

    @Test
    void aVersionThatTheContextDoesNotKnowIsRefused() {
        assertThatThrownBy(() -> TlsOptions.of(keys).protocols("TLSv9"))
                .hasMessageStartingWith("the context has no protocol 'TLSv9': choose from [");
        assertThatThrownBy(() -> TlsOptions.of(null)).isInstanceOf(NullPointerException.class);
    }

    /** A further handshake costs the server much, and the client little. */
    @ParameterizedTest
    @EnumSource(names = {"WEB", "TCP"})
    @Promise("76.8")
    void aClientShakesHandsOnce(On engine) throws Exception {
        for (var certificates : Clients.values()) {
            var tls = TlsOptions.of(keys).clients(certificates).protocols("TLSv1.2", "TLSv1.3");
            var port = engine == On.WEB
                    ? WebServer.start(scope.anonymous(), WebOptions.localPort(0).tls(tls), routes).port()
                    : Stereotypes.with(scope.anonymous()).tcpAcceptorSilent(TcpOptions.localPort(0).tls(tls),
                            socket -> socket.getInputStream().transferTo(socket.getOutputStream()), null)
                            .port();
            for (var version : new String[]{"TLSv1.2", "TLSv1.3"}) {
                try (var client = (SSLSocket) keys.getSocketFactory()
                        .createSocket(InetAddress.getLoopbackAddress(), port)) {
                    client.setSoTimeout(Patience.MILLIS);
                    client.setEnabledProtocols(new String[]{version});
                    client.startHandshake();
                    var request = "GET /who HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
                    for (var i = 0; i < 2; i++) {
                        client.getOutputStream().write(request);
                        answer(client, engine, request.length);
                    }
                    if (version.equals("TLSv1.2")) {
                        assertThatThrownBy(() -> {
                            client.startHandshake();
                            client.getOutputStream().write(request);
                            answer(client, engine, request.length);
                        }).isInstanceOf(IOException.class);
                    }
                }
            }
        }
    }

    /** Reads a whole answer: the request itself, or the content of the route. */
    private static void answer(SSLSocket client, On engine, int length) throws IOException {
        var answer = new StringBuilder();
        while (engine == On.TCP ? answer.length() < length
                : answer.indexOf("a stranger") < 0 && answer.indexOf("CN=localhost") < 0) {
            var next = client.getInputStream().read();
            if (next < 0) {
                throw new EOFException("the connection ended after: " + answer);
            }
            answer.append((char) next);
        }
    }
}
