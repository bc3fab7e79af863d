package io.fibry.web;

import static io.fibry.web.RawHttp2.DATA;
import static io.fibry.web.RawHttp2.END_HEADERS;
import static io.fibry.web.RawHttp2.END_STREAM;
import static io.fibry.web.RawHttp2.HEADERS;
import static io.fibry.web.RawHttp2.PADDED;
import static io.fibry.web.RawHttp2.fields;
import static io.fibry.web.RawHttp2.frame;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Requests of HTTP/2 that are not well formed: each is refused at once, and none of them is worth a line of the log. */
class Http2MalformedTest {
    private final ActorScope scope = ActorSystem.open("malformed");
    private final AtomicInteger reached = new AtomicInteger();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private Server server;

    @BeforeEach
    void start() {
        lines.start();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(lines);
        server = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                .get("/", call -> HttpAnswer.text("root"))
                .post("/read", call -> {
                    var text = call.text();
                    reached.incrementAndGet();
                    return HttpAnswer.text("got " + text);
                })
                .route("GET", "/admin", call -> {
                    reached.incrementAndGet();
                    return HttpAnswer.text("secret");
                }));
    }

    @AfterEach
    void stop() {
        assertThat(server.stop(Patience.LIMIT).forced()).as("something waits for content that will not come")
                .isFalse();
        scope.close();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(lines);
        assertThat(new ArrayList<>(lines.list))
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN)).isEmpty();
    }

    private static String[] request(String name, String value, String... others) {
        var all = new ArrayList<String>();
        for (var field : List.of(":method", "GET", ":scheme", "http", ":path", "/admin", ":authority", "x")) {
            all.add(field);
        }
        var at = all.indexOf(name);
        if (at >= 0) {
            all.set(at + 1, value);
        } else {
            all.addAll(List.of(name, value));
        }
        all.addAll(List.of(others));
        return all.toArray(String[]::new);
    }

    static Stream<Arguments> heads() {
        return Stream.of(request("a", "b\r\nc: d"), request("a", "b\r"), request("a", "\nb"),
                request("a", "b\0"),
                request("a", "\u007f"), request("a\r\nb", "c"), request("a\n", "c"), request("a b", "c"),
                request("a:b", "c"), request("", "c"), request("a\0", "c"), request(" a", "b"),
                request("\u00e9", "b"),
                request(":scheme", "http\r\nA: b"), request(":scheme", "ftp"), request(":scheme", ""),
                request(":scheme", "http "), request(":method", "GET\r\n"), request(":method", "G T"),
                request(":method", "get"), request(":method", ""), request(":method", "G\u00c9T"),
                request(":path", "/admin\r\n"), request(":path", "/admin HTTP/1.1\r\nHost: y\r\n\r\n"),
                request(":path", "/ad min"), request(":path", "/\0"), request(":authority", "x\r\nA: b"),
                request(":authority", "x\n"), request(":authority", "x y"), request("content-length", "5, 5"),
                request("content-length", ""), request("content-length", "99999999999999999999"),
                request("content-length", "9999999999999999999"), request("content-length", "+5"),
                request("content-length", "-1"), request("content-length", " 5"),
                request("content-length", "5 "),
                request("content-length", "0x5"), request("content-length", "\u00b2"),
                request("content-length", "5\r\n"),
                request("content-length", "0", "content-length", "0"),
                request("content-length", "5", "content-length", "6"),
                request("transfer-encoding", "chunked"),
                request("upgrade", "h2c"), request("keep-alive", "a"), request("host", "y"))
                .map(fields -> Arguments.of(RawText.of(String.join("|", fields)), fields));
    }

    /** A text as it is shown. */
    record RawText(String text) {
        static RawText of(String text) {
            return new RawText(text);
        }

        @Override
        public String toString() {
            return text.replace("\r", "\\r").replace("\n", "\\n").replace("\0", "\\0");
        }
    }

    @Promise("17.8")
    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("heads")
    void aHeadThatIsNotWellFormedIsRefused(RawText name, String[] fields) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, fields(fields)));
            assertThat(client.outcome(1)).startsWith("400");
            client.send(frame(HEADERS, END_HEADERS, 3, fields(fields)));
            client.send(frame(DATA, END_STREAM, 3, "hello".getBytes(StandardCharsets.US_ASCII)));
            assertThat(client.outcome(3)).startsWith("400");
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 5, RawHttp2.get("/", "x")));
            assertThat(client.outcome(5)).isEqualTo("200 root");
        }
        assertThat(reached).hasValue(0);
        assertThat(server.stop(Patience.LIMIT).counters().refused()).isEqualTo(2);
    }

    /** What decodes the code of Huffman has lost them, so the path would be another one: here /admin with the query x. */
    @Promise("17.8")
    @ParameterizedTest
    @CsvSource({":path, 6072526abfffebf3", "a, 8ffffebf"}) // "/admin\u00e9x", and "b\u00e9"
    void aByteBeyondAsciiIsRefusedInTheCodeOfHuffmanToo(String name, String coded) throws Exception {
        var value = HexFormat.of().parseHex(coded);
        var head = new ByteArrayOutputStream();
        head.writeBytes(name.equals(":path") ? fields(":method", "GET", ":scheme", "http", ":authority", "x")
                : fields(request("b", "c")));
        head.write(0);
        head.write(name.length());
        head.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        head.write(0x80 | value.length);
        head.writeBytes(value);
        try (var client = new RawHttp2(server.port())) {
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, head.toByteArray()));
            assertThat(client.outcome(1)).startsWith("400");
        }
        assertThat(reached).hasValue(0);
    }

    static Stream<Arguments> fatal() {
        return Stream
                .<String[]>of(request("A", "b"), request(":status", "200"), request(":protocol", "a"),
                        request("connection", "a"),
                        request("te", "gzip"), request("a", "b", ":path", "/"), request(":path", ""),
                        new String[]{":method", "GET", ":scheme", "http", ":path", "/admin", ":authority",
                            "x", ":authority", "y"},
                        new String[]{":method", "GET", ":scheme", "http", ":authority", "x"},
                        new String[]{":scheme", "http", ":path", "/", ":authority", "x"},
                        new String[]{":method", "CONNECT", ":authority", "x:80"}, new String[]{"a", "b"},
                        new String[]{})
                .map(fields -> Arguments.of(RawText.of(String.join("|", fields)), fields));
    }

    @Promise("17.8")
    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("fatal")
    void aHeadThatIsNoneEndsTheConnection(RawText name, String[] fields) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, fields(fields)));
            assertThat(client.outcome(1)).isEqualTo("GOAWAY 1");
        }
        assertThat(reached).hasValue(0);
    }

    private static byte[] post(String... fields) throws Exception {
        var all = new ArrayList<>(
                List.of(":method", "POST", ":scheme", "http", ":path", "/read", ":authority", "x"));
        all.addAll(List.of(fields));
        return frame(HEADERS, END_HEADERS, 1, fields(all.toArray(String[]::new)));
    }

    private static byte[] data(String text, int flags) {
        return frame(DATA, flags, 1, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] trailers(String... fields) throws Exception {
        return frame(HEADERS, END_HEADERS | END_STREAM, 1, fields(fields));
    }

    static Stream<Arguments> contents() throws Exception {
        var five = new String[]{"content-length", "5"};
        return Stream.of(
                Arguments.of("200 got hello", List.of(post(five), data("hello", END_STREAM))),
                Arguments.of("200 got hello", List.of(post(), data("hel", 0), data("lo", END_STREAM))),
                Arguments.of("200 got hello", List.of(post(five), data("hello", 0), data("", END_STREAM))),
                Arguments.of("200 got hello", List.of(post(five), data("hello", 0), trailers("a", "b"))),
                Arguments.of("200 got hello", List.of(post(), data("hello", 0), trailers("a", "b\tc"))),
                Arguments.of("200 got", List.of(post("content-length", "0"), data("", END_STREAM))),
                Arguments.of("400", List.of(post("content-length", "9"), data("hello", END_STREAM))),
                Arguments.of("400",
                        List.of(post("content-length", "9"), data("hello", 0), data("", END_STREAM))),
                Arguments.of("400", List.of(post("content-length", "9"), data("", END_STREAM))),
                Arguments.of("400",
                        List.of(post("content-length", "9"), data("hello", 0), trailers("a", "b"))),
                Arguments.of("400", List.of(post("content-length", "9"), trailers("a", "b"))),
                Arguments.of("400", List.of(post(five), data("hello", 0), trailers("a", "b\r\nc: d"))),
                Arguments.of("400", List.of(post(), data("hello", 0), trailers("a\r\nb", "c"))),
                Arguments.of("400", List.of(post(), data("hello", 0), trailers("a b", "c"))),
                Arguments.of("400", List.of(post(), data("hello", 0), trailers("", "c"))),
                Arguments.of("GOAWAY 1", List.of(post(), data("hello", 0), trailers(":path", "/admin"))),
                Arguments.of("RST 1", List.of(post(five), data("hello!", END_STREAM))),
                Arguments.of("RST 1", List.of(post(five), data("hello", 0), data("!", END_STREAM))),
                Arguments.of("RST 1", List.of(post("content-length", "0"), data("!", END_STREAM))));
    }

    @Promise("17.8")
    @ParameterizedTest
    @MethodSource("contents")
    void contentIsWholeOrRefused(String outcome, List<byte[]> frames) throws Exception {
        try (var client = new RawHttp2(server.port())) {
            for (var each : frames) {
                client.send(each);
            }
            assertThat(client.outcome(1)).startsWith(outcome);
        }
        if (!outcome.startsWith("200")) {
            assertThat(reached).hasValue(0);
        }
    }

    /** Padding is neither content nor counted for its length, and the client gets its room in the windows back. */
    @Promise("17.8")
    @Test
    void paddingIsNoContent() throws Exception {
        for (var padding : new int[]{0, 1, 7, 255}) {
            var payload = new byte[6 + padding];
            payload[0] = (byte) padding;
            System.arraycopy("hello".getBytes(StandardCharsets.US_ASCII), 0, payload, 1, 5);
            for (var flags : new int[]{PADDED, PADDED | END_STREAM}) {
                try (var client = new RawHttp2(server.port())) {
                    client.send(flags == PADDED ? post("content-length", "10") : post("content-length", "5"));
                    client.send(frame(DATA, flags, 1, payload));
                    if (flags == PADDED) {
                        client.send(data("hello", END_STREAM));
                    }
                    assertThat(client.outcome(1))
                            .isEqualTo(flags == PADDED ? "200 got hellohello" : "200 got hello");
                }
            }
        }
        for (var payload : new byte[][]{{}, {1}, {5, 0, 0, 0, 0}, {(byte) 255, 0}}) {
            try (var client = new RawHttp2(server.port())) {
                client.send(post());
                client.send(frame(DATA, PADDED | END_STREAM, 1, payload));
                assertThat(client.outcome(1)).isIn("GOAWAY 1", "GOAWAY 6");
            }
        }
        assertThat(reached).hasValue(8);
        try (var client = new RawHttp2(server.port())) {
            client.send(post());
            var payload = new byte[1 + 1_000 + 255];
            payload[0] = (byte) 255;
            Arrays.fill(payload, 1, 1_001, (byte) 'a');
            var window = 65_535;
            for (var i = 0; i < 6_000; i++) {
                while (window < payload.length) {
                    window += client.grant(1);
                }
                window -= payload.length;
                client.send(frame(DATA, PADDED, 1, payload));
            }
            client.send(data("", END_STREAM));
            client.send(frame(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[]{0x10, 0, 0, 0}));
            client.send(frame(RawHttp2.WINDOW_UPDATE, 0, 1, new byte[]{0x10, 0, 0, 0}));
            assertThat(client.outcome(1)).isEqualTo("200 got " + "a".repeat(6_000_000));
        }
    }

    /** A handler that reads learns that its request was reset, and the connection goes on. */
    @Promise("17.8")
    @Test
    void aResetEndsTheContent() throws Exception {
        var read = new CompletableFuture<String>();
        var ended = new CompletableFuture<Throwable>();
        var reading = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                .get("/", call -> HttpAnswer.text("root")).post("/read", call -> {
                    read.complete(new String(call.body().readNBytes(5), StandardCharsets.US_ASCII));
                    try {
                        return HttpAnswer.text(call.text());
                    } catch (IOException e) {
                        ended.complete(e);
                        assertThat(Thread.currentThread().isInterrupted()).isFalse();
                        throw e;
                    }
                }));
        try (var client = new RawHttp2(reading.port())) {
            client.send(post("content-length", "9"));
            client.send(data("hello", 0));
            assertThat(read.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("hello");
            client.send(frame(RawHttp2.RST_STREAM, 0, 1, new byte[]{0, 0, 0, 8}));
            assertThat(ended.get(Patience.MILLIS, TimeUnit.MILLISECONDS))
                    .hasMessageContaining("stream has ended");
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, RawHttp2.get("/", "x")));
            assertThat(client.outcome(3)).isEqualTo("200 root");
        }
    }

    /** Who still reads when the request was answered would otherwise wait for ever. */
    @Promise("17.8")
    @Test
    void theAnswerEndsTheContentForOtherThreads() throws Exception {
        var reader = new CompletableFuture<Thread>();
        var ended = new CompletableFuture<Throwable>();
        var passing = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                .get("/", call -> HttpAnswer.text("root")).post("/read", call -> {
                    scope.anonymous().newActor((HttpCall passed) -> {
                        reader.complete(Thread.currentThread());
                        try {
                            passed.text();
                        } catch (IOException e) {
                            ended.complete(e);
                        }
                    }).sendMessage(call);
                    var thread = Waits.on(reader);
                    Waits.until("it reads", () -> thread.getState() == Thread.State.WAITING);
                    return HttpAnswer.text("answered");
                }));
        try (var client = new RawHttp2(passing.port())) {
            client.send(post("content-length", "9"));
            client.send(data("hello", 0));
            assertThat(client.outcome(1)).isEqualTo("200 answered");
            assertThat(Waits.on(ended)).hasMessageContaining("has ended");
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 3, RawHttp2.get("/", "x")));
            assertThat(client.outcome(3)).isEqualTo("200 root");
        }
    }

    /** A request that was answered, but does not end, keeps its connection no longer than silence may take. */
    @Promise("17.8")
    @ParameterizedTest
    @ValueSource(strings = {"/unread", "/\r\n"})
    void aRequestThatDoesNotEndIsCutOff(String path) throws Exception {
        var time = new ManualTime();
        try (var timed = ActorSystem.configure("timed").time(time).open()) {
            var waiting = WebServer.start(timed.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                    .post("/unread", call -> HttpAnswer.text("unread")));
            try (var client = new RawHttp2(waiting.port())) {
                client.send(frame(HEADERS, END_HEADERS, 1,
                        fields(":method", "POST", ":scheme", "http", ":path", path,
                                ":authority", "x")));
                client.send(data("hello", 0));
                assertThat(client.outcome(1)).startsWith(path.equals("/unread") ? "200" : "400");
                Waits.until("it is cut off", () -> {
                    time.advance(Duration.ofSeconds(10));
                    return waiting.connections() == 0;
                });
            }
        }
    }

    /** Frames in any order and of any kind, between requests that are in order. */
    @Promise("17.8")
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void noFramesAreWorthALineOfTheLog(long seed) throws Exception {
        var random = new Random(seed);
        for (var i = 0; i < 60; i++) {
            try (var client = new RawHttp2(server.port())) {
                var sent = new ByteArrayOutputStream();
                for (var j = 0; j < 30; j++) {
                    sent.write(anyFrame(random));
                }
                client.send(sent.toByteArray());
                client.shutdownOutput();
                while (client.read().isPresent()) {
                    // until the server ends the connection
                }
            } catch (SocketException reset) {
                // the server may end the connection while the client sends
            }
        }
    }

    private static byte[] anyFrame(Random random) throws Exception {
        var stream = random.nextInt(12);
        var flags = random.nextInt(4) == 0 ? random.nextInt(256) : END_HEADERS | random.nextInt(2);
        var any = new byte[random.nextInt(40)];
        random.nextBytes(any);
        return switch (random.nextInt(8)) {
            case 0 -> frame(random.nextInt(12), random.nextInt(256), stream, any);
            case 1 -> frame(DATA, random.nextInt(16), stream, any);
            case 2 -> frame(RawHttp2.SETTINGS, 0, 0,
                    new byte[]{0, (byte) random.nextInt(8), 0, any.length > 20 ? any[0] : 0,
                        (byte) random.nextInt(256), (byte) random.nextInt(256)});
            case 3 -> frame(RawHttp2.WINDOW_UPDATE, 0, random.nextBoolean() ? 0 : stream, new byte[]{0, 0, 0,
                (byte) random.nextInt(3)});
            case 4 -> frame(HEADERS, flags, stream, any);
            case 5 -> frame(HEADERS, flags, stream | 1,
                    RawHttp2.fields(":method", "POST", ":scheme", "http", ":path",
                            "/read", ":authority", "x", "content-length", "" + random.nextInt(40)));
            case 6 -> frame(RawHttp2.RST_STREAM, 0, stream, new byte[]{0, 0, 0, 8});
            default -> frame(HEADERS, flags, stream | 1, RawHttp2.get("/", "x"));
        };
    }

    /** Many on one connection: nothing is left of any of them. */
    @Promise("17.8")
    @Test
    void aConnectionOutlivesManyOfThem() throws Exception {
        try (var client = new RawHttp2(server.port())) {
            for (var stream = 1; stream < 2_000; stream += 2) {
                client.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, fields(request("a", "b\r\n"))));
                assertThat(client.outcome(stream)).startsWith("400");
            }
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 2_001, RawHttp2.get("/", "x")));
            assertThat(client.outcome(2_001)).isEqualTo("200 root");
        }
    }
}
