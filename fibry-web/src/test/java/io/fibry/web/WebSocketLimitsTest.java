package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time limits, and who may open a socket. */
class WebSocketLimitsTest {
    private static final Duration LIMIT = Duration.ofSeconds(8);

    private final Heard heard = new Heard();
    private final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.configure("web").time(time).open();
    private Server server;

    private Server start(WebOptions options, WebSocketRoute route) {
        server = WebServer.start(scope.anonymous(), options, HttpRoutes.none().get("/{room}", route));
        return server;
    }

    private Server start(WebSocketOptions options) {
        return start(WebOptions.localPort(0), WebSocketRoute.of(heard).with(options));
    }

    @AfterEach
    void stop() {
        server.close();
        scope.close();
    }

    // ---- Memory. ----

    @ParameterizedTest
    @ValueSource(ints = {RawSocket.TEXT, RawSocket.BINARY})
    void anIdleSocketKeepsNothingOfItsLongMessages(int kind) throws Exception {
        var piece = "x".repeat(16 << 20).getBytes(StandardCharsets.US_ASCII);
        var come = new CountDownLatch(1);
        start(WebOptions.localPort(0), WebSocketRoute.of(new WebSocketHandler() {
            @Override
            public void text(WebSocket socket, String text) {
                come.countDown();
            }

            @Override
            public void binary(WebSocket socket, byte[] bytes) {
                come.countDown();
            }
        }).with(WebSocketOptions.standard().messageBytes(2 * piece.length)));
        try (var client = RawSocket.open(server.port(), "/a")) {
            System.gc();
            var before = used();
            client.frame(kind, false, piece);
            client.frame(RawSocket.CONTINUATION, true, piece);
            Waits.on(come);
            Waits.until("the message is garbage", () -> {
                System.gc();
                return used() - before < piece.length;
            });
        }
    }

    private static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    // ---- Time. ----

    @Promise("17.4")
    @Test
    void aSilentClientIsPingedAndThenCut() throws Exception {
        start(WebSocketOptions.standard().idleTimeout(LIMIT));
        try (var client = RawSocket.open(server.port(), "/a")) {
            assertThat(heard.next()).isEqualTo("opened");
            isHeard(client);
            time.advance(LIMIT);
            assertThat(client.read().opcode()).isEqualTo(RawSocket.PING);
            assertThat(heard.rest()).isEmpty();
            time.advance(LIMIT);
            assertThat(heard.next()).isEqualTo("closed 1006");
            client.ends();
        }
    }

    @Promise("17.4")
    @Test
    void aClientThatAnswersPingsStays() throws Exception {
        start(WebSocketOptions.standard().idleTimeout(LIMIT));
        try (var client = RawSocket.open(server.port(), "/a")) {
            assertThat(heard.next()).isEqualTo("opened");
            for (var i = 0; i < 3; i++) {
                isHeard(client);
                time.advance(LIMIT);
                var ping = client.read();
                assertThat(ping.opcode()).isEqualTo(RawSocket.PING);
                client.frame(RawSocket.PONG, true, ping.payload());
            }
            isHeard(client);
            assertThat(heard.rest()).isEmpty();
        }
    }

    /** Waits until the server has read what the client has sent so far. */
    private static void isHeard(RawSocket client) throws Exception {
        client.frame(RawSocket.PING, true, new byte[]{7});
        assertThat(client.read().opcode()).isEqualTo(RawSocket.PONG);
    }

    @Promise("17.4")
    @Test
    void aClientIsNotSilentWhileItsHandlerWorks() throws Exception {
        var working = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        start(WebOptions.localPort(0), WebSocketRoute.of((socket, text) -> {
            working.countDown();
            go.await();
            socket.send("done");
        }).with(WebSocketOptions.standard().idleTimeout(LIMIT)));
        try (var client = RawSocket.open(server.port(), "/a")) {
            client.text("work");
            Waits.on(working);
            time.advance(LIMIT.multipliedBy(3));
            go.countDown();
            assertThat(client.read().text()).isEqualTo("done");
        }
    }

    @Promise("17.4")
    @Test
    void aClientThatDoesNotAnswerTheCloseIsCut() throws Exception {
        start(WebSocketOptions.standard().closeLimit(LIMIT));
        try (var client = RawSocket.open(server.port(), "/a")) {
            assertThat(heard.next()).isEqualTo("opened");
            heard.sockets.getFirst().close();
            assertThat(client.closeCode()).isEqualTo(1000);
            time.advance(LIMIT.multipliedBy(2));
            client.ends();
            assertThat(heard.next()).isEqualTo("closed 1000");
        }
        await().until(() -> server.connections() == 0);
    }

    @Promise("17.4")
    @Test
    void noMoreConnectionsAreOpenThanMayBe() throws Exception {
        start(WebOptions.localPort(0).connections(2), WebSocketRoute.of(heard));
        var first = RawSocket.open(server.port(), "/a");
        try (var second = RawSocket.open(server.port(), "/a"); var third = new RawSocket(server.port())) {
            var answer = new java.util.concurrent.FutureTask<>(() -> third.ask("/a"));
            Thread.ofVirtual().start(answer);
            await().during(Duration.ofMillis(200)).until(() -> !answer.isDone());
            first.close();
            assertThat(answer.get()).startsWith("HTTP/1.1 101 ");
            second.text("still here");
        }
    }

    // ---- Handshakes. ----

    @Promise("17.6")
    @Test
    void aRequestThatIsNoHandshakeIsRefused() throws Exception {
        start(WebSocketOptions.standard());
        try (var client = new RawSocket(server.port())) {
            assertThat(client.request("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")).contains(" 426 ");
            assertThat(client.head()).containsIgnoringCase("upgrade: websocket");
        }
        assertThat(asked("GET", "12", "dGhlIHNhbXBsZSBub25jZQ==")).contains(" 426 ");
        assertThat(asked("GET", "13", "c2hvcnQ=")).contains(" 400 ");
        assertThat(asked("GET", "13", "no base64")).contains(" 400 ");
        assertThat(asked("POST", "13", "dGhlIHNhbXBsZSBub25jZQ==")).contains(" 405 ");
        assertThat(heard.rest()).isEmpty();
    }

    private String asked(String method, String version, String key) throws Exception {
        try (var client = new RawSocket(server.port())) {
            return client.request(method
                    + " /a HTTP/1.1\r\nHost: x\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: " + version + "\r\nSec-WebSocket-Key: " + key + "\r\n\r\n");
        }
    }

    /** The example of RFC 6455. */
    @Promise("17.6")
    @Test
    void theAnswerProvesThatItIsOne() throws Exception {
        start(WebSocketOptions.standard());
        try (var client = RawSocket.open(server.port(), "/a")) {
            assertThat(client.head())
                    .containsIgnoringCase("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        }
    }

    @Promise("17.6")
    @Test
    void onlyAllowedOriginsOpenASocket() throws Exception {
        start(WebSocketOptions.standard().origins("https://fibry.io"));
        assertThat(status("Origin: https://fibry.io")).contains(" 101 ");
        assertThat(status("Origin: https://evil.example")).contains(" 403 ");
        assertThat(status("X-Origin: none")).contains(" 403 ");
    }

    private String status(String header) throws Exception {
        try (var client = new RawSocket(server.port())) {
            return client.ask("/a", header);
        }
    }

    @Promise("17.6")
    @Test
    void theBestProtocolThatBothKnowIsChosen() throws Exception {
        start(WebSocketOptions.standard().protocols("chat.v2", "chat.v1"));
        try (var client = new RawSocket(server.port())) {
            assertThat(client.ask("/a", "Sec-WebSocket-Protocol: chat.v1, chat.v2")).contains(" 101 ");
            assertThat(client.head()).containsIgnoringCase("Sec-WebSocket-Protocol: chat.v2");
            assertThat(heard.next()).isEqualTo("opened");
            assertThat(heard.sockets.getFirst().protocol()).contains("chat.v2");
        }
        assertThat(status("Sec-WebSocket-Protocol: other")).contains(" 400 ");
    }

    @Promise("17.6")
    @Test
    void theOpenerTakesOrRefusesASocket() throws Exception {
        start(WebOptions.localPort(0), WebSocketRoute.opening(call -> {
            if (!call.query("key").equals(java.util.Optional.of("open"))) {
                throw new HttpProblem(401, "who are you?");
            }
            var room = call.parameter("room");
            return (socket, text) -> socket.send(room + ": " + text);
        }));
        try (var client = RawSocket.open(server.port(), "/kitchen?key=open")) {
            client.text("hello");
            assertThat(client.read().text()).isEqualTo("kitchen: hello");
        }
        assertThatThrownBy(() -> RawSocket.open(server.port(), "/kitchen")).hasMessageContaining(" 401 ");
    }

    @LogsErrors
    @Test
    void anOpenerThatFailsIsAnInternalError() throws Exception {
        start(WebOptions.localPort(0), WebSocketRoute.opening(call -> {
            throw new IllegalStateException("as asked");
        }));
        assertThat(status("X: y")).contains(" 500 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {999, 1004, 1005, 1006, 1015, 2000, 5000})
    void codesThatMustNotBeSentCannotBe(int code) throws Exception {
        start(WebSocketOptions.standard());
        try (var client = RawSocket.open(server.port(), "/a")) {
            assertThat(heard.next()).isEqualTo("opened");
            var socket = heard.sockets.getFirst();
            assertThatThrownBy(() -> socket.close(code, "")).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Integer.toString(code));
            assertThat(socket.isOpen()).isTrue();
            client.text("x");
        }
    }

    @Test
    void inAServerWithoutWebSocketsTheRouteSaysWhatItIs() throws Exception {
        start(WebSocketOptions.standard());
        var plain = io.fibry.Stereotypes.with(scope.anonymous()).embeddedHttpServer(
                io.fibry.net.HttpOptions.localPort(0),
                HttpRoutes.none().get("/", call -> HttpAnswer.text("x")).get("/a", WebSocketRoute.of(heard)));
        try (plain; var client = new RawSocket(plain.port())) {
            assertThat(client.ask("/a")).contains(" 426 ");
        }
    }
}
