package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.testing.HttpFraming;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The log of requests. */
class AccessLogTest {
    private static final WebOptions LOCAL =
            WebOptions.localPort(0).http2Upgrade(true).http(http -> http.bodyBytes(1_000));

    private final LinkedBlockingQueue<WebAccess> seen = new LinkedBlockingQueue<>();
    private final HttpRoutes routes = HttpRoutes.none().get("/text", call -> HttpAnswer.text("hello"))
            .post("/read", call -> HttpAnswer.text(call.text()))
            .get("/long", call -> HttpAnswer.bytes("a/b", new byte[200_000]))
            .get("/stream", call -> HttpAnswer.stream("text/plain", out -> out.write(new byte[70_000])))
            .get("/fail", call -> {
                throw new IllegalStateException("as asked");
            })
            .get("/broken", call -> HttpAnswer.stream("text/plain", out -> {
                out.write(new byte[20_000]);
                out.flush();
                throw new IllegalStateException("as asked");
            }))
            .get("/socket", WebSocketRoute.of((socket, text) -> socket.send(text)));

    private WebAccess next() throws Exception {
        return Objects.requireNonNull(seen.poll(Patience.MILLIS, TimeUnit.MILLISECONDS),
                "no request is recorded");
    }

    @ParameterizedTest
    @EnumSource
    @LogsErrors
    @Promise("60.11")
    void eachRequestIsRecordedOnce(Version version) throws Exception {
        try (var site = new Site(LOCAL.accessLog(seen::add), routes);
                var client = HttpClient.newBuilder().version(version).build()) {
            for (var row : List.of("/text?q=1 200 5", "/long 200 200000", "/stream 200 70000", "/none 404 22",
                    "/fail 500 -1")) {
                var parts = row.split(" ", -1);
                client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + site.port() + parts[0]))
                        .header("User-Agent", "a test").build(), BodyHandlers.ofString());
                var access = next();
                assertThat(access.target()).isEqualTo(parts[0]);
                assertThat(access.method()).isEqualTo("GET");
                assertThat(access.status()).isEqualTo(Integer.parseInt(parts[1]));
                if (!parts[2].equals("-1")) {
                    assertThat(access.bytes()).as(row).isEqualTo(Long.parseLong(parts[2]));
                }
                assertThat(access.isWhole()).isTrue();
                assertThat(access.header("user-agent")).hasValue("a test");
                assertThat(access.took()).isPositive();
                assertThat(access.began()).isBetween(Instant.now().minusSeconds(600),
                        Instant.now().plusSeconds(1));
            }
            assertThat(seen).isEmpty();
        }
    }

    @Test
    @LogsErrors
    @Promise("60.11")
    void whatIsRefusedOrBreaksOffIsRecordedToo() throws Exception {
        try (var site = new Site(LOCAL.accessLog(seen::add), routes)) {
            for (var row : List.of("nonsense / HTTP/9 | 400 ",
                    "GET /%2e%2e/x HTTP/1.1|Host: x||400 /%2e%2e/x",
                    "POST /read HTTP/1.1|Host: x|Content-Length: 2000||~|413 /read",
                    "GET /broken HTTP/1.1|Host: x||200 /broken", "HEAD /text HTTP/1.1|Host: x||200 /text")) {
                var parts = row.split("\\|", -1);
                site.raw(String.join("\r\n", List.of(parts).subList(0, parts.length - 1)).replace("~",
                        "x".repeat(2_000))
                        + "\r\n\r\n");
                var access = next();
                assertThat(access.status() + " " + access.target())
                        .isEqualTo(parts[parts.length - 1].stripLeading());
                assertThat(access.isWhole()).isEqualTo(!access.target().equals("/broken"));
            }
            try (var socket = RawSocket.open(site.port(), "/socket")) {
                assertThat(next().status()).isEqualTo(101);
                socket.text("x");
                assertThat(socket.read().text()).isEqualTo("x");
            }
            assertThat(seen).isEmpty();
        }
    }

    @Test
    @Promise("17.8")
    void aClientThatLeavesWhileItIsRefusedIsNoFailure() throws Exception {
        var events = new LinkedBlockingQueue<ActorEvent>();
        try (var scope = ActorSystem.configure("test").listener(events::add).open();
                var server = WebServer.start(scope.anonymous(), LOCAL.accessLog(seen::add), routes)) {
            var answer = HttpFraming.answersTo(server.port(),
                    "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\nshort");
            assertThat(answer).startsWith("HTTP/1.1 413 ");
            assertThat(next().isWhole()).as("the answer was").isTrue();
            Waits.until("the connection has ended", () -> server.connections() == 0);
        }
        assertThat(events).noneMatch(Failed.class::isInstance);
    }

    @Test
    @LogsErrors
    @Promise("60.11")
    void aListenerThatFailsHasNoEffect() throws Exception {
        try (var site = new Site(LOCAL.accessLog(access -> {
            throw new IllegalStateException("as asked");
        }), routes)) {
            assertThat(site.get("/text").body()).isEqualTo("hello");
            assertThat(site.get("/text").body()).isEqualTo("hello");
        }
    }

    private static WebAccess access(String target, Map<String, List<String>> headers) {
        return new WebAccess(Instant.parse("2026-11-23T22:04:11Z"), Duration.ofNanos(1_834_500),
                new InetSocketAddress("192.0.2.7", 1234), "GET", target, "HTTP/2", headers, 200, 512, true);
    }

    @Test
    @Promise("60.11")
    void aLineHasTheCombinedFormAndNoQuery() {
        var log = AccessLog.combined();
        var access = access("/items?token=secret", Map.of("User-agent", List.of("curl/8.5.0")));
        assertThat(log.line(access))
                .matches("192\\.0\\.2\\.7 - - \\[2[34]/Nov/2026:\\d\\d:\\d\\d:11 [+-]\\d{4}] "
                        + "\"GET /items HTTP/2\" 200 512 \"-\" \"curl/8\\.5\\.0\" 1834");
        assertThat(log.queries(true).line(access)).contains("\"GET /items?token=secret HTTP/2\"");
        assertThat(access.toString()).doesNotContain("secret");
    }

    @Test
    @Promise("60.11")
    void aClientCannotForgeALine() {
        var line = AccessLog.combined().line(access("/a\"b\\c\r\nd", Map.of("User-agent",
                List.of("\" 200 0 \"-\"\n127.0.0.1 \u001b[31m\u00e9\u0085"), "Referer", List.of("x\"y"))));
        assertThat(line).contains("\"GET /a\\x22b\\x5Cc\\x0D\\x0Ad HTTP/2\"")
                .contains("\"x\\x22y\" \"\\x22 200 0 \\x22-\\x22\\x0A127.0.0.1 \\x1B[31m\\xE9\\x85\" 1834")
                .doesNotContain("\n", "\r", "\u001b");
    }

    @Test
    @Promise("60.11")
    void theLinesGoToALoggerOfTheirOwn() throws Exception {
        var logger = (Logger) LoggerFactory.getLogger("io.fibry.web.access");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        var level = logger.getLevel();
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        logger.addAppender(lines);
        try (var site = new Site(LOCAL.accessLog(AccessLog.combined()), routes)) {
            site.get("/text?a=b");
            Waits.until("the line is there", () -> new ArrayList<>(lines.list).size() == 1);
            assertThat(lines.list.getFirst().getFormattedMessage()).startsWith("127.0.0.1 - - [")
                    .contains("\"GET /text HTTP/1.1\" 200 5 ");
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(level);
        }
    }
}
