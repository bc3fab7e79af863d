package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
/** Servers of HTTP/2 alone. */
class Http2AloneTest {
    private static final String REQUEST = "GET /who HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    private final ActorScope scope = ActorSystem.open("proxies");
    private final LinkedBlockingQueue<WebAccess> seen = new LinkedBlockingQueue<>();
    private final HttpRoutes routes = HttpRoutes.none()
            .get("/who", call -> HttpAnswer.text("by " + call.exchange().protocol()))
            .get("/socket", WebSocketRoute.of((socket, message) -> socket.send(message)));

    private Server start(WebOptions options) {
        return WebServer.start(scope.anonymous(), options, routes);
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

    @AfterEach
    void stop() {
        scope.close();
    }

    private static SSLSocket secured(Socket socket, SSLContext keys) throws IOException {
        return (SSLSocket) keys.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
    }

    private static HttpRoutes withoutSockets() {
        return HttpRoutes.none().get("/who", call -> HttpAnswer.text("by " + call.exchange().protocol()));
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
