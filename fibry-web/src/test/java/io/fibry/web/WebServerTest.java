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
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP in both versions. */
@Promise("17.8")
class WebServerTest {
    private static final Duration SHORT = Duration.ofMillis(200);

    private final ActorScope scope = ActorSystem.open("web");
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch held = new CountDownLatch(1);
    private final HttpRoutes routes = HttpRoutes.none()
            .get("/", call -> HttpAnswer.html("<p>hello</p>"))
            .get("/version", call -> HttpAnswer.text(call.protocol()))
            .get("/users/{name}",
                    call -> HttpAnswer.text(call.parameter("name") + call.query("q").orElse("")))
            .post("/length", call -> HttpAnswer.text(Integer.toString(call.bytes().length)))
            .post("/ignore", call -> HttpAnswer.text("not read"))
            .get("/big", call -> HttpAnswer.bytes("application/octet-stream", new byte[3_000_000]))
            .get("/stream", call -> HttpAnswer.stream("text/plain", out -> {
                for (var i = 0; i < 1_000; i++) {
                    out.write(("line " + i + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }))
            .get("/broken", call -> HttpAnswer.stream("text/plain", out -> {
                out.write(new byte[20_000]);
                out.flush();
                throw new IllegalStateException("as asked");
            }))
            .get("/fail", call -> {
                throw new IllegalStateException("secret");
            })
            .get("/events", call -> HttpAnswer.events(events -> {
                go.await();
                for (var i = 0; i < 3; i++) {
                    events.send("event " + i);
                }
            }))
            .get("/waits", call -> {
                held.countDown();
                go.await();
                return HttpAnswer.text("too late");
            })
            .get("/files/{path*}", WebResources.beside(WebServerTest.class, "pages"))
            .get("/socket", WebSocketRoute.of((socket, text) -> socket.send(text)));
    private Server server;

    private void start(WebOptions options) {
        server = WebServer.start(scope.anonymous(), options.http2Upgrade(true), routes);
    }

    @AfterEach
    void stop() {
        go.countDown();
        if (server != null) {
            server.close();
        }
        scope.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private String get(HttpClient client, String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString()).body();
    }

    private HttpClient client(Version version) {
        return HttpClient.newBuilder().version(version).build();
    }

    @EveryStrategy
    void requestsAreAnsweredInBothVersions(Strategy strategy) throws Exception {
        server = WebServer.start(scope.anonymous().strategy(strategy.create()),
                WebOptions.localPort(0).http2Upgrade(true),
                routes);
        for (var version : Version.values()) {
            try (var client = client(version)) {
                for (var i = 0; i < 3; i++) {
                    assertThat(get(client, "/")).isEqualTo("<p>hello</p>");
                    assertThat(get(client, "/users/J%C3%B8rgen?q=%21")).isEqualTo("J\u00f8rgen!");
                    assertThat(client.send(
                            request("/length").POST(BodyPublishers.ofByteArray(new byte[100_000])).build(),
                            BodyHandlers.ofString()).body()).isEqualTo("100000");
                }
                var answer = client.send(request("/version").build(), BodyHandlers.ofString());
                assertThat(answer.version()).isEqualTo(version);
                assertThat(answer.body()).isEqualTo(version == Version.HTTP_2 ? "HTTP/2" : "HTTP/1.1");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void statusesHeadersAndMethodsAreThoseOfTheRoutes(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            assertThat(client.send(request("/none").build(), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(404);
            var wrong = client.send(request("/").DELETE().build(), BodyHandlers.ofString());
            assertThat(wrong.statusCode()).isEqualTo(405);
            assertThat(wrong.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
            var head = client.send(request("/").HEAD().build(), BodyHandlers.ofString());
            assertThat(head.headers().firstValue("Content-Length")).contains("12");
            assertThat(head.body()).isEmpty();
            assertThat(client.send(request("/socket").build(), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(426);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void longAnswersAndStreamsArriveWhole(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            assertThat(client.send(request("/big").build(), BodyHandlers.ofByteArray()).body())
                    .hasSize(3_000_000);
            assertThat(get(client, "/stream").lines().toList()).hasSize(1_000).last().isEqualTo("line 999");
            assertThat(client.send(request("/length").POST(BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(new byte[50_000]))).build(),
                    BodyHandlers.ofString()).body())
                    .as("content of unknown length").isEqualTo("50000");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void manyRequestsAtOnce(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            var answers = IntStream.range(0, 100)
                    .mapToObj(i -> client.sendAsync(request("/users/u" + i).build(), BodyHandlers.ofString()))
                    .toList();
            for (var i = 0; i < 100; i++) {
                assertThat(answers.get(i).get().body()).isEqualTo("u" + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void eventsComeWhenTheyAreSent(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            HttpResponse<Stream<String>> answer =
                    client.send(request("/events").build(), BodyHandlers.ofLines());
            assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
            go.countDown(); // the head was there before the first event
            Iterator<String> lines = answer.body().filter(line -> !line.isEmpty()).iterator();
            for (var i = 0; i < 3; i++) {
                assertThat(lines.next()).isEqualTo("data: event " + i);
            }
        }
    }

    @LogsErrors
    @ParameterizedTest
    @EnumSource(Version.class)
    void aFailureIsAnIdAndABrokenAnswerIsSeen(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            var answer = client.send(request("/fail").build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).startsWith("internal error ").doesNotContain("secret");
            assertThatThrownBy(() -> get(client, "/broken")).isInstanceOf(IOException.class);
            assertThat(get(client, "/")).isEqualTo("<p>hello</p>");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void tooMuchIsRefused(Version version) throws Exception {
        start(WebOptions.localPort(0).http(http -> http.bodyBytes(1_000).headers(2_000, 20)));
        try (var client = client(version)) {
            var head = request("/").header("X-Long", "x".repeat(3_000)).build();
            assertThat(client.send(head, BodyHandlers.ofString()).statusCode()).isEqualTo(431);
            assertThat(client.send(request("/" + "x".repeat(3_000)).build(), BodyHandlers.ofString())
                    .statusCode())
                    .isEqualTo(414);
            assertThat(
                    client.send(request("/length").POST(BodyPublishers.ofByteArray(new byte[1_001])).build(),
                            BodyHandlers.ofString()).statusCode())
                    .isEqualTo(413);
            assertThat(client.send(request("/length").POST(BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(new byte[1_001]))).build(),
                    BodyHandlers.ofString())
                    .statusCode()).as("of unknown length").isEqualTo(413);
            assertThat(get(client, "/")).isEqualTo("<p>hello</p>");
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void contentThatNobodyReadsDoesNotHinderTheNextRequest(Version version) throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(version)) {
            for (var i = 0; i < 3; i++) {
                assertThat(client
                        .send(request("/ignore").POST(BodyPublishers.ofByteArray(new byte[30_000])).build(),
                                BodyHandlers.ofString())
                        .body()).isEqualTo("not read");
            }
        }
    }

    @Test
    void tlsAgreesOnTheVersion(@org.junit.jupiter.api.io.TempDir java.nio.file.Path folder) throws Exception {
        var keys = HttpKeys.selfSigned(folder);
        start(WebOptions.localPort(0).tls(keys));
        for (var version : Version.values()) {
            try (var client = HttpClient.newBuilder().version(version).sslContext(keys).build()) {
                var base = URI.create("https://localhost:" + server.port());
                var answer = client.send(HttpRequest.newBuilder(base.resolve("/version")).build(),
                        BodyHandlers.ofString());
                assertThat(answer.version()).isEqualTo(version);
                var said = new CompletableFuture<String>();
                var socket =
                        client.newWebSocketBuilder().buildAsync(URI.create("wss://localhost:" + server.port()
                                + "/socket"), new java.net.http.WebSocket.Listener() {
                                    @Override
                                    public java.util.concurrent.CompletionStage<?> onText(
                                            java.net.http.WebSocket webSocket,
                                            CharSequence data, boolean last) {
                                        said.complete(data.toString());
                                        return null;
                                    }
                                }).get();
                socket.sendText("secret", true).join();
                assertThat(said.get()).isEqualTo("secret");
                socket.abort();
            }
        }
    }

    @Test
    void withoutHttp2ClientsStayWithTheOldOne() throws Exception {
        start(WebOptions.localPort(0).http2(false));
        try (var client = client(Version.HTTP_2)) {
            assertThat(get(client, "/version")).isEqualTo("HTTP/1.1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\nContent-Length: 6", "Content-Length: -1",
        "Content-Length: +5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"})
    void aRequestWhoseEndIsNotClearIsRefusedAndItsConnectionClosed(String headers) throws Exception {
        start(WebOptions.localPort(0));
        try (var raw = new RawSocket(server.port())) {
            assertThat(raw.request("POST /ignore HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 400 ");
            raw.ends();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/files/../WebServerTest.class", "/files/..%2FWebServerTest.class", "/files/x/",
        "/files/%2e%2e/WebServerTest.class", "/files/a%5Cb", "/files/none.html", "/files/sub"})
    void onlyFilesOfTheFolderAreShown(String path) throws Exception {
        start(WebOptions.localPort(0));
        try (var raw = new RawSocket(server.port())) {
            assertThat(raw.request("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")).containsAnyOf(" 400 ",
                    " 404 ");
        }
    }

    @Test
    void filesHaveTheirTypes() throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(Version.HTTP_2)) {
            var index = client.send(request("/files/").build(), BodyHandlers.ofString());
            assertThat(index.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
            assertThat(index.body()).contains("talk.js");
            assertThat(client.send(request("/files/talk.js").build(), BodyHandlers.ofString()).headers()
                    .firstValue("Content-Type")).contains("text/javascript; charset=utf-8");
            assertThat(get(client, "/files/sub/page.txt")).startsWith("a page");
        }
    }

    // ---- Time. ----

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX: ",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"})
    void aConnectionWhoseRequestDoesNotComeIsCut(String beginning) throws Exception {
        start(WebOptions.localPort(0).idleTimeout(SHORT));
        try (var raw = new RawSocket(server.port())) {
            raw.raw(beginning.getBytes(StandardCharsets.US_ASCII));
            raw.ends();
        }
        await().until(() -> server.connections() == 0);
    }

    @Test
    void aRequestThatTakesLongIsNotIdle() throws Exception {
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open();
                var client = client(Version.HTTP_1_1)) {
            server = WebServer.start(own.anonymous(), WebOptions.localPort(0).idleTimeout(SHORT), routes);
            HttpResponse<Stream<String>> answer =
                    client.send(request("/events").build(), BodyHandlers.ofLines()); // its head is there
            time.advance(SHORT.multipliedBy(10));
            assertThat(server.connections()).isEqualTo(1);
            go.countDown();
            assertThat(answer.body()).contains("data: event 2");
        }
    }

    @Test
    void contentThatDoesNotComeIsNotWaitedForForever() throws Exception {
        start(WebOptions.localPort(0).http(http -> http.readLimit(SHORT)));
        try (var raw = new RawSocket(server.port())) {
            raw.raw("POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
                    .getBytes(StandardCharsets.US_ASCII));
            raw.ends();
        }
        await().until(() -> server.connections() == 0);
    }

    /** What Helidon does with these is to wait for ever: nobody tells the thread that reads. */
    @Test
    void noThreadIsLeftWhenAClientOfHttp2VanishesInTheMiddleOfItsContent() throws Exception {
        start(WebOptions.localPort(0));
        var client = client(Version.HTTP_2);
        get(client, "/");
        var begun = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        var answer = client.sendAsync(request("/length").POST(BodyPublishers.ofInputStream(
                () -> new java.io.InputStream() {
                    @Override
                    public int read() throws IOException {
                        begun.countDown();
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                        return -1;
                    }
                })).build(), BodyHandlers.ofString());
        begun.await();
        client.shutdownNow();
        await().until(() -> server.connections() == 0);
        never.countDown();
        await().until(answer::isCompletedExceptionally);
        client.close();
    }

    @Test
    void thatTheClientOfHttp2IsGoneBeforeItsAnswerComesIsNoFailureOfTheRequest() throws Exception {
        start(WebOptions.localPort(0));
        try (var client = client(Version.HTTP_2)) {
            get(client, "/");
            var answer = client.sendAsync(request("/waits").build(), BodyHandlers.ofString());
            held.await();
            client.shutdownNow();
            await().until(answer::isCompletedExceptionally);
            go.countDown(); // were it taken for one, an error would be logged, which the check after the test finds
            await().until(() -> server.connections() == 0);
        }
    }
}
