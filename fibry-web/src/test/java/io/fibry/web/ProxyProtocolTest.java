package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpKeys;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that come from proxies and begin with the addresses of their clients, and servers of HTTP/2 alone. */
class ProxyProtocolTest {
    private static final String REQUEST = "GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final Proxies HERE = Proxies.trusting("127.0.0.1", "::1");

    private final ActorScope scope = ActorSystem.open("proxies");
    private final LinkedBlockingQueue<WebAccess> seen = new LinkedBlockingQueue<>();
    private final HttpRoutes routes = HttpRoutes.none()
            .get("/who", call -> HttpAnswer.text("from " + text(call.exchange().getRemoteAddress())))
            .get("/socket", WebSocketRoute.of((socket, message) -> socket.send(text(socket.peer()))));

    private static String text(java.net.InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " " + address.getPort();
    }

    private Server start(WebOptions options) {
        return WebServer.start(scope.anonymous(), options, routes);
    }

    private static WebOptions behindProxies() {
        return WebOptions.localPort(0).proxyProtocol(HERE);
    }

    private static Socket connect(Server server) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(Patience.MILLIS);
        return socket;
    }

    /** Sends bytes; returns all that comes, which is nothing if the connection is closed or reset. */
    private static String answer(Server server, byte[]... bytes) throws IOException {
        try (var socket = connect(server)) {
            try {
                for (var each : bytes) {
                    socket.getOutputStream().write(each);
                }
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (java.net.SocketException reset) {
                return "";
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] binary(String hex) {
        return HexFormat.of().parseHex(SIGNATURE + hex.replace(" ", ""));
    }

    @AfterEach
    void stop() {
        scope.close();
    }

    @Promise("76.9")
    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443,       192.0.2.7 56324",
        "PROXY TCP4 255.255.255.255 0.0.0.0 0 65535,    255.255.255.255 0",
        "PROXY TCP6 2001:db8::7 2001:db8::1 4711 443,   2001:db8:0:0:0:0:0:7 4711"})
    void theTextStatesTheClient(String header, String client) throws Exception {
        var server = start(behindProxies());
        assertThat(answer(server, ascii(header + "\r\n" + REQUEST))).endsWith("from " + client);
        assertThat(answer(server, ascii(header + "\r"), ascii("\n"), ascii(REQUEST)))
                .endsWith("from " + client);
    }

    @Promise("76.9")
    @ParameterizedTest
    @CsvSource({
        "21 11 000c c0000207 0a000001 dc04 01bb,                    192.0.2.7 56324",
        "21 11 0010 c0000207 0a000001 dc04 01bb 04000101,           192.0.2.7 56324",
        "21 21 0024 20010db8000000000000000000000007 20010db8000000000000000000000001 1267 01bb,"
                + " 2001:db8:0:0:0:0:0:7 4711"})
    void theBytesStateTheClient(String header, String client) throws Exception {
        assertThat(answer(start(behindProxies()), binary(header), ascii(REQUEST))).endsWith("from " + client);
    }

    @Promise("76.9")
    @ParameterizedTest
    @ValueSource(strings = {"20 00 0000", "20 11 000c c0000207 0a000001 dc04 01bb", "21 00 0000",
        "21 31 0004 00000000"})
    void aProxyThatDoesNotKnowTheClientIsThePeer(String header) throws Exception {
        assertThat(answer(start(behindProxies()), binary(header), ascii(REQUEST)))
                .contains("from 127.0.0.1 ");
    }

    @Test
    @Promise("76.9")
    void anUnknownClientInTextIsThePeer() throws Exception {
        var server = start(behindProxies());
        assertThat(answer(server, ascii("PROXY UNKNOWN\r\n" + REQUEST))).contains("from 127.0.0.1 ");
        assertThat(answer(server, ascii("PROXY UNKNOWN a b c d e\r\n" + REQUEST)))
                .contains("from 127.0.0.1 ");
    }

    @Promise("76.9")
    @ParameterizedTest
    @ValueSource(strings = {"", "PROXY TCP4 192.0.2.7 10.0.0.1 56324 65536\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 01 443\r\n",
        "PROXY TCP4 192.0.2 10.0.0.1 1 443\r\n", "PROXY TCP4 2001:db8::7 2001:db8::1 1 443\r\n",
        "PROXY TCP6 192.0.2.7 10.0.0.1 1 443\r\n", "PROXY TCP4 localhost 10.0.0.1 1 443\r\n",
        "PROXY TCP4 192.0.2.7  10.0.0.1 1 443\r\n", "PROXY UDP4 192.0.2.7 10.0.0.1 1 443\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 1\r\n", "proxy TCP4 192.0.2.7 10.0.0.1 1 443\r\n",
        " PROXY UNKNOWN\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 1 443\n",
        "PROXY UNKNOWN aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"})
    void whatIsNoHeaderClosesTheConnection(String header) throws Exception {
        var server = start(behindProxies());
        assertThat(answer(server, ascii(header + REQUEST))).isEmpty();
        assertThat(answer(server, ascii("PROXY UNKNOWN\r\n" + REQUEST))).startsWith("HTTP/1.1 200 ");
    }

    @Promise("76.9")
    @ParameterizedTest
    @ValueSource(strings = {"11 11 000c c0000207 0a000001 dc04 01bb",
        "22 11 000c c0000207 0a000001 dc04 01bb",
        "21 11 000b c0000207 0a000001 dc04 01"})
    void bytesThatAreNoHeaderCloseTheConnection(String header) throws Exception {
        assertThat(answer(start(behindProxies()), binary(header), ascii(REQUEST))).isEmpty();
    }

    @Test
    @Promise("76.9")
    void othersThanTheProxiesAreNotServed() throws Exception {
        var server = start(WebOptions.localPort(0).proxyProtocol(Proxies.trusting("10.0.0.0/8")));
        assertThat(answer(server, ascii("PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n" + REQUEST))).isEmpty();
        assertThat(answer(start(WebOptions.localPort(0)),
                ascii("PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n" + REQUEST))).isEmpty();
    }

    @Test
    @Promise("76.9")
    void aHeaderThatDoesNotComeEndsTheConnection() throws Exception {
        var server = start(behindProxies().idleTimeout(Duration.ofMillis(100)));
        assertThat(answer(server, ascii("PROXY TCP4 192.0.2.7 "))).isEmpty();
        assertThat(answer(server)).isEmpty();
    }

    @Test
    @Promise("76.9")
    void webSocketsTheLogAndPlacesKnowTheClient() throws Exception {
        var server = start(behindProxies().connectionsPerClient(1).accessLog(seen::add));
        try (var first = new RawSocket(server.port())) {
            first.raw(ascii("PROXY TCP4 192.0.2.7 10.0.0.1 1 443\r\n"));
            assertThat(first.ask("/socket")).startsWith("HTTP/1.1 101 ");
            first.text("who");
            assertThat(first.read().text()).isEqualTo("192.0.2.7 1");
            assertThat(answer(server, ascii("PROXY TCP4 192.0.2.7 10.0.0.1 2 443\r\n" + REQUEST))).isEmpty();
            assertThat(answer(server, ascii("PROXY TCP4 192.0.2.8 10.0.0.1 3 443\r\n" + REQUEST)))
                    .endsWith("from 192.0.2.8 3");
        }
        var access = seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        while (access != null && access.target().equals("/socket")) {
            access = seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        }
        assertThat(access).isNotNull();
        assertThat(text(access.peer())).isEqualTo("192.0.2.8 3");
        await().until(() -> answer(server, ascii("PROXY TCP4 192.0.2.7 10.0.0.1 4 443\r\n" + REQUEST))
                .endsWith("from 192.0.2.7 4"));
    }

    @Test
    @Promise("76.9")
    void theHeaderComesBeforeTls(@TempDir Path folder) throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        try (var socket = connect(start(behindProxies().tls(keys)))) {
            socket.getOutputStream().write(ascii("PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n"));
            var secured = secured(socket, keys);
            secured.getOutputStream().write(ascii(REQUEST));
            assertThat(new String(secured.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .endsWith("from 192.0.2.7 56324");
        }
    }

    private static SSLSocket secured(Socket socket, SSLContext keys) throws IOException {
        return (SSLSocket) keys.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
    }

    // ---- HTTP/2 alone. ----

    private static HttpRoutes withoutSockets() {
        return HttpRoutes.none().get("/who", call -> HttpAnswer.text("by " + call.exchange().getProtocol()));
    }

    @Test
    @Promise("76.9")
    void withoutHttp1OthersAreRefused(@TempDir Path folder) throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        var plain =
                WebServer.start(scope.anonymous(), WebOptions.localPort(0).http1(false).accessLog(seen::add),
                        withoutSockets());
        assertThat(answer(plain, ascii(REQUEST))).startsWith("HTTP/1.1 505 ").contains("HTTP/2 alone");
        assertThat(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS).status()).isEqualTo(505);
        assertThat(
                answer(plain,
                        ascii(REQUEST.replace("Connection: close", "Connection: Upgrade, HTTP2-Settings\r\n"
                                + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"))))
                .startsWith("HTTP/1.1 505 ");
        var secure = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http1(false).tls(keys),
                withoutSockets());
        try (var socket = secured(connect(secure), keys)) {
            var parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[]{"http/1.1"});
            socket.setSSLParameters(parameters);
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
        try (var socket = secured(connect(secure), keys)) {
            socket.getOutputStream().write(ascii(REQUEST));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 505 ");
        }
    }

    @Test
    @Promise("76.9")
    void withoutHttp1Http2IsServed(@TempDir Path folder) throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http1(false).tls(keys),
                withoutSockets());
        try (var client = java.net.http.HttpClient.newBuilder().sslContext(keys).build()) {
            var answer = client.send(java.net.http.HttpRequest.newBuilder(
                    java.net.URI.create("https://localhost:" + server.port() + "/who")).build(),
                    java.net.http.HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("by HTTP/2");
        }
    }

    @Test
    @Promise("76.9")
    void whatNeedsHttp1IsRefusedAtTheStart() {
        assertThatThrownBy(() -> start(WebOptions.localPort(0).http1(false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/socket").hasMessageContaining("leave http1 on");
        assertThatThrownBy(() -> WebOptions.localPort(0).http1(false).http2(false))
                .hasMessageContaining("no version of HTTP");
    }
}
