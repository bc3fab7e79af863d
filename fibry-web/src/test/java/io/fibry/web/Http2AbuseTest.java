package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients of HTTP/2 must not do, and what they may. */
class Http2AbuseTest {
    private static final int MANY = 20_000;

    private final ActorScope scope = ActorSystem.open("abuse");
    private final AtomicInteger reached = new AtomicInteger();
    private final AtomicInteger reading = new AtomicInteger();
    private Server server;

    /** Frames that ask for nothing, by the number of how many have been sent before. */
    interface Flood {
        byte[] frame(int number) throws IOException;
    }

    @BeforeEach
    void start() {
        server = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http2Upgrade(true),
                HttpRoutes.none()
                        .get("/", call -> HttpAnswer.text("root"))
                        .get("/big",
                                call -> HttpAnswer.bytes("application/octet-stream", new byte[20_000_000]))
                        .post("/read", call -> {
                            reading.incrementAndGet();
                            try {
                                return HttpAnswer.text(call.text());
                            } finally {
                                reading.decrementAndGet();
                            }
                        })
                        .get("/admin", call -> {
                            reached.incrementAndGet();
                            return HttpAnswer.text("secret");
                        }));
    }

    @AfterEach
    void stop() {
        assertThat(server.stop(Patience.LIMIT).forced()).as("something waits for content that will not come")
                .isFalse();
        scope.close();
    }

    static Stream<Arguments> floods() throws IOException {
        var open = RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, RawHttp2.get("/read", "x"));
        var unfinished = RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, RawHttp2.get("/", "x"));
        var none = new byte[0];
        var eight = new byte[8];
        return Stream.of(
                flood("empty continuations", unfinished, n -> RawHttp2.frame(RawHttp2.CONTINUATION, 0, 1)),
                flood("short continuations", unfinished,
                        n -> RawHttp2.frame(RawHttp2.CONTINUATION, 0, 1, (byte) 0, (byte) 1, (byte) 'a',
                                (byte) 0)),
                flood("priorities of one stream", none,
                        n -> RawHttp2.frame(RawHttp2.PRIORITY, 0, 1, new byte[]{0, 0, 0, 0, 16})),
                flood("settings", none, n -> RawHttp2.frame(RawHttp2.SETTINGS, 0, 0)),
                flood("acknowledgements", none, n -> RawHttp2.frame(RawHttp2.SETTINGS, RawHttp2.ACK, 0)),
                flood("pings", none, n -> RawHttp2.frame(RawHttp2.PING, 0, 0, eight)),
                flood("answers to pings", none, n -> RawHttp2.frame(RawHttp2.PING, RawHttp2.ACK, 0, eight)),
                flood("window updates", none,
                        n -> RawHttp2.frame(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[]{0, 0, 0, 1})),
                flood("empty data", open, n -> RawHttp2.frame(RawHttp2.DATA, 0, 1)),
                flood("padding", open, n -> RawHttp2.frame(RawHttp2.DATA, 8, 1, new byte[]{1, 0})),
                flood("unknown frames", none, n -> RawHttp2.frame(0x77, 0, 0)),
                flood("resets", none, n -> n % 2 == 0
                        ? RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, n + 1,
                                RawHttp2.get("/read", "x"))
                        : RawHttp2.frame(RawHttp2.RST_STREAM, 0, n, new byte[]{0, 0, 0, 8})));
    }

    private static Arguments flood(String name, byte[] before, Flood flood) {
        return Arguments.of(name, before, flood);
    }

    @Promise("17.3")
    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void framesThatAskForNothingEndTheConnection(String name, byte[] before, Flood flood) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            if (before.length > 0) {
                client.send(before);
            }
            var sent = 0;
            try {
                while (sent < MANY) {
                    client.send(flood.frame(sent++));
                }
            } catch (java.net.SocketException cut) {
                // as it should be
            }
            Optional<Integer> reason = Optional.empty();
            for (var frame = client.read(); frame.isPresent(); frame = client.read()) {
                if (frame.get().type() == RawHttp2.GOAWAY) {
                    reason = Optional.of(frame.get().error());
                }
            }
            // The end may overtake the reason: the system of a client that is still sending throws away what it has got.
            assertThat(reason.orElse(RawHttp2.ENHANCE_YOUR_CALM)).isEqualTo(RawHttp2.ENHANCE_YOUR_CALM);
        }
        await().until(() -> server.connections() == 0);
    }

    /** Helidon does not tell a reader that the connection has ended, perhaps before it begins to read. */
    @Test
    void requestsOfAConnectionThatHasEndedDoNotWaitForContent() throws Exception {
        for (var i = 0; i < 200; i++) {
            try (var client = new RawHttp2(server.port())) {
                client.send(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1,
                        RawHttp2.fields(":method", "POST", ":scheme", "http", ":path", "/read", ":authority",
                                "x")));
                client.shutdownOutput();
                for (var frame = client.read(); frame.isPresent();) {
                    frame = client.read();
                }
            }
        }
        await().until(() -> server.connections() == 0);
        await().untilAsserted(() -> assertThat(reading).hasValue(0));
    }

    @Promise("17.3")
    @Test
    void itIsToldWhy() throws Exception {
        try (var client = new RawHttp2(server.port())) {
            for (var i = 0; i <= 200; i++) {
                client.send(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
            }
            var pings = 0;
            var reason = -1;
            var flood = new java.io.ByteArrayOutputStream();
            for (var i = 0; i <= 2_000; i++) {
                flood.write(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
            }
            client.send(flood.toByteArray()); // at once: who sends on is reset and does not hear why
            for (var frame = client.read(); frame.isPresent(); frame = client.read()) {
                pings += frame.get().type() == RawHttp2.PING ? 1 : 0;
                reason = frame.get().type() == RawHttp2.GOAWAY ? frame.get().error() : reason;
            }
            assertThat(reason).isEqualTo(RawHttp2.ENHANCE_YOUR_CALM);
            assertThat(pings).isLessThan(2_000);
        }
    }

    /** Requests and downloads bring window updates and settings of their own, and are no flood however many they are. */
    @Promise("17.3")
    @Test
    void anHonestClientIsNotTakenForOne() throws Exception {
        try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            for (var i = 0; i < 5; i++) {
                assertThat(client.send(request("/big"), BodyHandlers.ofByteArray()).body())
                        .hasSize(20_000_000);
            }
            for (var i = 0; i < 1_500; i++) {
                assertThat(client.send(request("/"), BodyHandlers.ofString()).body()).isEqualTo("root");
            }
        }
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build();
    }

    @Promise("17.8")
    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"/,x,200", "/?a=b,x:80,200", "/,[::1]:80,200", "//x/admin,x,400",
        "http://x/admin,x,400", "foo:/admin,x,400", "admin,x,400", "*,x,400", "/a/../admin,x,400",
        "/%2e%2e/admin,x,400", "/./admin,x,400", "/\\admin,x,400", "/admin#a,x,400", "/%00,x,400",
        "/%zz,x,400",
        "/?a=%zz,x,400", "/,u@x,400", "/,x/y,400", "/,x:port,400", "/,-,400"})
    void aPathIsWhatItIsInHttp1(String path, String authority, int status) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            client.send(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1,
                    RawHttp2.get(path, authority)));
            assertThat(client.status(1)).isEqualTo(status);
        }
        assertThat(reached).hasValue(0);
    }

    @Promise("17.8")
    @ParameterizedTest
    @CsvSource({"host,x,200", "host,y,400", "transfer-encoding,chunked,400", "upgrade,h2c,400",
        "keep-alive,a,400",
        "proxy-connection,a,400", "a,b,200"})
    void headersThatContradictAreRefused(String name, String value, int status) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            client.send(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1,
                    RawHttp2.get("/", "x", name, value)));
            assertThat(client.status(1)).isEqualTo(status);
        }
    }

    /** For Helidon's own table the first is an endless loop, and the second an error. */
    @Promise("17.3")
    @Test
    void tablesAreMadeEmptyAndOverfull() throws Exception {
        try (var client = new RawHttp2(server.port())) {
            var added = new java.io.ByteArrayOutputStream();
            added.write(RawHttp2.get("/", "x"));
            added.write(new byte[]{0x40, 1, 'a', 1, 'b'});
            client.send(RawHttp2.frame(RawHttp2.HEADERS, 5, 1, added.toByteArray()));
            assertThat(client.status(1)).isEqualTo(200);
            var emptied = new java.io.ByteArrayOutputStream();
            emptied.write(0x20);
            emptied.write(RawHttp2.get("/", "x"));
            client.send(RawHttp2.frame(RawHttp2.HEADERS, 5, 3, emptied.toByteArray()));
            assertThat(client.status(3)).isEqualTo(200);
            var overfull = new java.io.ByteArrayOutputStream();
            overfull.write(RawHttp2.get("/", "x"));
            overfull.write(new byte[]{0x40, 1, 'a', 0x7F, (byte) 0x80, 0x40}); // 127 + 64 * 128 bytes
            overfull.write("c".repeat(127 + 64 * 128).getBytes());
            client.send(RawHttp2.frame(RawHttp2.HEADERS, 5, 5, overfull.toByteArray()));
            assertThat(client.status(5)).isEqualTo(200);
        }
    }

    @Promise("17.8")
    @Test
    void aMethodInSmallLettersIsNotTakenForAnother() throws Exception {
        try (var client = new RawHttp2(server.port())) {
            var block = new byte[]{2, 3, 'g', 'e', 't', (byte) 0x86, (byte) 0x84, 1, 1, 'x'};
            client.send(RawHttp2.frame(RawHttp2.HEADERS, 5, 1, block));
            assertThat(client.status(1)).isEqualTo(400);
        }
    }
}
