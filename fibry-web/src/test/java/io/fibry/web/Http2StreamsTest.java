package io.fibry.web;

import static io.fibry.web.RawHttp2.DATA;
import static io.fibry.web.RawHttp2.END_HEADERS;
import static io.fibry.web.RawHttp2.END_STREAM;
import static io.fibry.web.RawHttp2.GOAWAY;
import static io.fibry.web.RawHttp2.HEADERS;
import static io.fibry.web.RawHttp2.PADDED;
import static io.fibry.web.RawHttp2.PING;
import static io.fibry.web.RawHttp2.PRIORITY;
import static io.fibry.web.RawHttp2.RST_STREAM;
import static io.fibry.web.RawHttp2.SETTINGS;
import static io.fibry.web.RawHttp2.WINDOW_UPDATE;
import static io.fibry.web.RawHttp2.fields;
import static io.fibry.web.RawHttp2.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.web.RawHttp2.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What requests of one connection do to each other, and to the connection. */
@Promise("17.8")
class Http2StreamsTest {
    private static final int STANDARD_WINDOW = 65_535;
    private static final int MUCH = 100_000;
    private static final int ALL = 1 << 20;

    private final ManualTime time = new ManualTime();
    private final ActorScope scope = ActorSystem.configure("streams").time(time).open();
    private final Semaphore begun = new Semaphore(0);
    private final AtomicInteger pieces = new AtomicInteger();
    private final CountDownLatch go = new CountDownLatch(1);
    private final CompletableFuture<Thread> reader = new CompletableFuture<>();
    private final CompletableFuture<Throwable> broken = new CompletableFuture<>();
    private Server server;

    @AfterEach
    void close() {
        go.countDown();
        if (server != null) {
            assertThat(server.stop(Patience.LIMIT).stuck()).isEmpty();
        }
        scope.close();
    }

    private RawHttp2 connected() throws IOException {
        return connected(WebOptions.localPort(0));
    }

    private RawHttp2 connected(WebOptions options) throws IOException {
        server = WebServer.start(scope.anonymous(), options, HttpRoutes.none()
                .get("/", call -> HttpAnswer.text("root"))
                .get("/much", call -> HttpAnswer.bytes("image/png", new byte[MUCH]))
                .get("/endless", call -> HttpAnswer.stream("image/png", out -> {
                    reader.complete(Thread.currentThread());
                    for (;; pieces.incrementAndGet()) {
                        out.write(new byte[MUCH]);
                    }
                }))
                .route("*", "/slow", call -> {
                    begun.release();
                    go.await();
                    return HttpAnswer.text("slow");
                })
                .post("/read", this::read)
                .post("/unread", call -> HttpAnswer.text("unread"))
                .post("/count", call -> HttpAnswer.text("" + call.body().transferTo(OUT)))
                .post("/echo", call -> HttpAnswer.stream("image/png", new HttpBody() {
                    @Override
                    public void writeTo(java.io.OutputStream out) throws IOException {
                        call.body().transferTo(out);
                    }
                })));
        return new RawHttp2(server.port());
    }

    private HttpAnswer read(HttpCall call) throws Exception {
        reader.complete(Thread.currentThread());
        try {
            return HttpAnswer.text("got " + call.text());
        } catch (IOException e) {
            broken.complete(e);
            go.await();
            throw e;
        }
    }

    private static final java.io.OutputStream OUT = java.io.OutputStream.nullOutputStream();

    private static byte[] get(int stream, String path) throws IOException {
        return frame(HEADERS, END_HEADERS | END_STREAM, stream, RawHttp2.get(path, "x"));
    }

    private static byte[] post(int stream, String path, String... others) throws IOException {
        var all = new java.util.ArrayList<>(
                java.util.List.of(":method", "POST", ":scheme", "http", ":path", path, ":authority", "x"));
        all.addAll(java.util.List.of(others));
        return frame(HEADERS, END_HEADERS, stream, fields(all.toArray(String[]::new)));
    }

    private static byte[] data(int stream, String text, int flags) {
        return frame(DATA, flags, stream, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] number(int type, int stream, int number) {
        return frame(type, 0, stream, ByteBuffer.allocate(4).putInt(number).array());
    }

    private static byte[] window(int bytes) {
        return frame(SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) 4).putInt(bytes).array());
    }

    private static int number(Frame frame) {
        return ByteBuffer.wrap(frame.payload()).getInt();
    }

    private static String outcome(RawHttp2 client, int stream) {
        try {
            return client.outcome(stream);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void endsWithoutATrace() {
        Waits.until("the connection has ended", () -> server.connections() == 0);
    }

    /** It has a Content-Length: Helidon must not wait for content that does not come. */
    @Test
    void aRequestThatUpgradesEndsWithItsAnswer() throws Exception {
        try (var raw = connected(WebOptions.localPort(0).http2Upgrade(true));
                var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            raw.send(get(1, "/"));
            assertThat(raw.outcome(1)).isEqualTo("200 root");
            var answer = client
                    .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/unread"))
                            .POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("unread");
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        }
        endsWithoutATrace();
    }

    @Test
    void aResetLeavesNothingOfContentThatNobodyReads() throws Exception {
        try (var client = connected()) {
            var sent = new ByteArrayOutputStream();
            sent.writeBytes(post(1, "/slow"));
            for (var i = 0; i < 40; i++) {
                sent.writeBytes(data(1, "a", 0));
            }
            sent.writeBytes(number(RST_STREAM, 1, 8));
            client.send(sent.toByteArray());
            begun.acquire();
            go.countDown();
            client.send(get(3, "/"));
            assertThat(client.outcome(3)).isEqualTo("200 root");
        }
        endsWithoutATrace();
    }

    @Test
    void anEndLeavesNothingOfContentThatNobodyReads() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/slow"));
            for (var i = 0; i < 40; i++) {
                client.send(data(1, "a", 0));
            }
            begun.acquire();
        }
        go.countDown();
        endsWithoutATrace();
    }

    @Test
    void emptyDataIsNotTheEndOfTheContent() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/read"));
            client.send(data(1, "abc", 0));
            client.send(data(1, "", 0));
            client.send(data(1, "def", 0));
            client.send(frame(DATA, PADDED, 1, new byte[]{2, 0, 0}));
            client.send(data(1, "ghi", END_STREAM));
            assertThat(client.outcome(1)).isEqualTo("200 got abcdefghi");
        }
    }

    @Test
    void anInterruptIsNotTheEndOfTheContent() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/read"));
            client.send(data(1, "abc", 0));
            var thread = Waits.on(reader);
            Waits.until("it reads", () -> thread.getState() == Thread.State.WAITING);
            thread.interrupt();
            assertThat(Waits.on(broken)).hasMessageContaining("interrupted");
        }
    }

    @Test
    void contentIsAskedFor() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/read", "expect", "100-continue"));
            var frame = client.read().orElseThrow();
            while (frame.type() != HEADERS) {
                frame = client.read().orElseThrow();
            }
            assertThat(frame.flags() & END_STREAM).isZero();
            client.send(data(1, "abc", END_STREAM));
            assertThat(client.outcome(1)).isEqualTo("200 got abc");
        }
    }

    @Test
    void parallelAnswersStayWithinTheWindowThatTheyShare() throws Exception {
        var answers = 20;
        try (var client = connected()) {
            client.send(window(Integer.MAX_VALUE));
            for (var i = 0; i < answers; i++) {
                client.send(get(2 * i + 1, "/much"));
            }
            var left = STANDARD_WINDOW;
            for (var ended = 0; ended < answers;) {
                var got = client.read().orElseThrow();
                if (got.type() == DATA) {
                    left -= got.payload().length;
                    assertThat(left).isNotNegative();
                    if (left < 1_000) {
                        left += 10_000;
                        client.send(number(WINDOW_UPDATE, 0, 10_000));
                    }
                    ended += got.flags() & END_STREAM;
                }
            }
        }
    }

    @Test
    void anAnswerWithoutRoomTakesNoneFromOthers() throws Exception {
        try (var client = connected()) {
            client.send(window(0));
            for (var i = 0; i < 20; i++) {
                client.send(get(2 * i + 1, "/much"));
            }
            client.send(number(WINDOW_UPDATE, 19, 60_000));
            for (var left = 60_000; left > 0;) {
                var got = client.read().orElseThrow();
                if (got.type() == DATA && got.payload().length > 0) {
                    assertThat(got.stream()).isEqualTo(19);
                    left -= got.payload().length;
                }
            }
            client.send(number(RST_STREAM, 19, 8));
            client.send(number(WINDOW_UPDATE, 0, MUCH));
            client.send(number(WINDOW_UPDATE, 21, MUCH));
            assertThat(client.outcome(21)).hasSizeGreaterThanOrEqualTo(MUCH); // with the status or without
        }
    }

    @Test
    void aRequestThatIsNotReadHindersNoOther() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/slow"));
            for (var i = 0; i < 60; i++) {
                client.send(data(1, "a".repeat(1_000), i == 59 ? END_STREAM : 0));
            }
            client.send(post(3, "/count"));
            for (var i = 0; i < 60; i++) {
                client.send(data(3, "a".repeat(1_000), i == 59 ? END_STREAM : 0));
            }
            assertThat(client.outcome(3)).isEqualTo("200 60000");
            client.send(frame(PING, 0, 0, new byte[8]));
            assertThat(client.read().orElseThrow().type()).isEqualTo(PING);
            go.countDown();
            assertThat(client.outcome(1)).isEqualTo("200 slow");
        }
    }

    @Test
    void whatWaitsForRoomGetsItFromBehindContent() throws Exception {
        try (var client = connected()) {
            client.send(window(10));
            client.send(post(1, "/echo"));
            for (var i = 0; i < 60; i++) {
                client.send(data(1, "a".repeat(1_000), i == 59 ? END_STREAM : 0));
            }
            client.send(number(WINDOW_UPDATE, 1, 60_000));
            assertThat(client.outcome(1)).isEqualTo("200 " + "a".repeat(60_000));
        }
    }

    /** The one request ends, and the connection goes on with the others. */
    @Test
    void contentThatDoesNotComeEndsItsRequestAlone() throws Exception {
        try (var client = connected()) {
            client.send(get(1, "/slow"));
            begun.acquire();
            client.send(post(3, "/read"));
            client.send(data(3, "abc", 0));
            var thread = Waits.on(reader);
            Waits.until("it reads", () -> thread.getState() == Thread.State.WAITING);
            Waits.until("it reads no more", () -> {
                time.advance(Duration.ofSeconds(1));
                return broken.isDone();
            });
            client.send(data(3, "too late", 0));
            go.countDown();
            client.send(data(3, "too late", END_STREAM));
            assertThat(client.outcome(1)).isEqualTo("200 slow");
            client.send(get(5, "/"));
            assertThat(client.outcome(5)).isEqualTo("200 root");
        }
    }

    @Test
    void aClientThatMakesNoRoomLosesThisAnswerAlone() throws Exception {
        try (var client = connected()) {
            client.send(window(100));
            client.send(get(1, "/much"));
            client.send(get(3, "/slow"));
            begun.acquire();
            for (var got = 0; got < 100;) {
                var next = client.read().orElseThrow();
                got += next.type() == DATA ? next.payload().length : 0;
            }
            var reset = CompletableFuture.supplyAsync(() -> outcome(client, 1));
            Waits.until("it is reset", () -> {
                time.advance(Duration.ofSeconds(1));
                return reset.isDone();
            });
            assertThat(reset.join()).startsWith("RST");
            go.countDown();
            assertThat(client.outcome(3)).isEqualTo("200 slow");
        }
    }

    @Test
    void handlersKeepThePlaceOfTheirConnection() throws Exception {
        try (var client = connected(WebOptions.localPort(0).connectionsPerClient(1))) {
            client.send(post(1, "/read"));
            Waits.on(reader);
        }
        Waits.on(broken);
        try (var client = new RawHttp2(server.port())) {
            assertThat(client.outcome(1)).isEqualTo("END");
        }
        go.countDown();
        endsWithoutATrace();
        try (var client = new RawHttp2(server.port())) {
            client.send(get(1, "/"));
            assertThat(client.outcome(1)).isEqualTo("200 root");
        }
    }

    @Test
    void handlersKeepThePlaceOfTheirRequest() throws Exception {
        var ended = new Semaphore(0);
        try (var client = connected(WebOptions.localPort(0).accessLog(access -> ended.release()))) {
            for (var i = 0; i < 128; i++) {
                client.send(get(2 * i + 1, "/slow"));
            }
            begun.acquire(128);
            for (var i = 0; i < 40; i++) {
                client.send(number(RST_STREAM, 2 * i + 1, 8));
            }
            client.send(post(257, "/read"));
            client.send(data(257, "on its way", END_STREAM));
            assertThat(client.outcome(257)).isEqualTo("RST 7");
            go.countDown();
            for (var i = 40; i < 128; i++) {
                var got = client.read().orElseThrow();
                while ((got.flags() & END_STREAM) == 0 || got.type() == PING) {
                    got = client.read().orElseThrow();
                }
            }
            ended.acquire(128);
            for (var i = 129; i < 300; i++) {
                client.send(get(2 * i + 1, "/"));
                assertThat(client.outcome(2 * i + 1)).isEqualTo("200 root");
            }
        }
    }

    @Test
    void theWindowForContentIsGrantedOnce() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/count"));
            client.send(post(3, "/count"));
            var windows = new int[]{STANDARD_WINDOW, STANDARD_WINDOW, 0, STANDARD_WINDOW};
            var most = 0;
            var piece = new byte[10_000];
            for (var i = 0; i < 3_000; i++) {
                var stream = 1 + 2 * (i % 2);
                while (windows[0] < piece.length || windows[stream] < piece.length) {
                    var got = client.read().orElseThrow();
                    if (got.type() == WINDOW_UPDATE) {
                        windows[got.stream()] += number(got);
                        most = Math.max(most, windows[0]);
                    } else if (got.type() == SETTINGS && got.flags() == 0) {
                        for (var settings = ByteBuffer.wrap(got.payload()); settings.hasRemaining();) {
                            var larger = settings.getShort() == 4
                                    ? settings.getInt(settings.position()) - STANDARD_WINDOW : 0;
                            windows[1] += larger;
                            windows[3] += larger;
                            settings.getInt();
                        }
                    }
                }
                windows[0] -= piece.length;
                windows[stream] -= piece.length;
                client.send(frame(DATA, 0, stream, piece));
            }
            assertThat(most).isLessThanOrEqualTo(1 << 20);
            client.send(data(1, "", END_STREAM));
            client.send(data(3, "", END_STREAM));
            assertThat(client.outcome(1)).isEqualTo("200 15000000");
        }
    }

    @Test
    void contentBeyondTheWindowEndsTheConnection() throws Exception {
        try (var client = connected()) {
            client.send(post(1, "/slow"));
            for (var i = 0; i <= 64; i++) {
                client.send(frame(DATA, 0, 1, new byte[1_024]));
            }
            assertThat(client.outcome(1)).isEqualTo("GOAWAY 3");
        }
        go.countDown();
    }

    @Test
    void contentAfterTheEndEndsTheConnection() throws Exception {
        try (var client = connected()) {
            client.send(get(1, "/slow"));
            client.send(data(1, "a", 0));
            var got = client.read().orElseThrow();
            while (got.type() != GOAWAY) {
                got = client.read().orElseThrow();
            }
            assertThat(got.error()).isEqualTo(5);
            assertThat(number(got)).as("last stream").isEqualTo(1); // otherwise it could be repeated
        }
        go.countDown();
    }

    /** Frames of requests that have ended long ago are no mistake: they may have been on their way. */
    @Test
    void whatComesLateForAnOldRequestIsIgnored() throws Exception {
        try (var client = connected()) {
            for (var i = 0; i < 300; i++) {
                client.send(get(2 * i + 1, "/"));
                assertThat(client.outcome(2 * i + 1)).isEqualTo("200 root");
                client.send(number(i % 2 == 0 ? RST_STREAM : WINDOW_UPDATE, 1, 8));
                client.send(number(i % 2 == 0 ? WINDOW_UPDATE : RST_STREAM, 2 * i + 1, 8));
            }
        }
    }

    /** Only a cut ends the write to its socket, so nothing may keep the sweep from that. */
    @Test
    void theSweepWaitsForNoClientThatReadsNothing() throws Exception {
        try (var client = connected()) {
            client.send(window(Integer.MAX_VALUE));
            client.send(number(WINDOW_UPDATE, 0, 1 << 30));
            client.send(get(1, "/endless"));
            var thread = Waits.on(reader);
            var before = new AtomicInteger(-1);
            Waits.until("it writes no more", () -> before.getAndSet(pieces.get()) == pieces.get()
                    && thread.getState() == Thread.State.WAITING);
            client.send(number(WINDOW_UPDATE, 1, Integer.MAX_VALUE));
            Waits.on(CompletableFuture.runAsync(() -> Waits.until("it is cut", () -> {
                time.advance(Duration.ofSeconds(1));
                return server.connections() == 0;
            })));
        }
    }

    @Test
    void aWindowThatIsTooLargeEndsTheConnection() throws Exception {
        try (var client = connected(); var other = new RawHttp2(server.port())) {
            client.send(get(1, "/slow"));
            other.send(get(1, "/slow"));
            begun.acquire(2);
            client.send(window(-1));
            other.send(number(WINDOW_UPDATE, 1, Integer.MAX_VALUE - STANDARD_WINDOW));
            other.send(window(Integer.MAX_VALUE));
            assertThat(client.outcome(1)).isEqualTo("GOAWAY 3");
            assertThat(other.outcome(1)).isEqualTo("GOAWAY 3");
            go.countDown();
            assertThat(client.outcome(1)).isEqualTo("END");
        }
        endsWithoutATrace();
    }

    /** The room of which the writer makes use does not get to Helidon, since a frame of the same read is refused. */
    @Test
    void whatHelidonHasNoRoomForEnds() throws Exception {
        try (var client = connected(
                WebOptions.localPort(0).http(http -> http.writeLimit(Duration.ofMillis(100))))) {
            client.send(window(0));
            client.send(get(1, "/much"));
            assertThat(client.status(1)).isEqualTo(200);
            var sent = new ByteArrayOutputStream();
            for (var i = 0; i < 500; i++) {
                sent.writeBytes(number(WINDOW_UPDATE, i == 0 ? 1 : 0, 100));
            }
            sent.writeBytes(data(0, "of no stream", 0));
            client.send(sent.toByteArray());
            assertThat(client.outcome(1)).startsWith("GOAWAY");
        }
        endsWithoutATrace();
    }

    /** Uses the window of the connection up for requests that nobody reads, and resets them. Returns the next stream. */
    private static int useUp(RawHttp2 client, int first, int each) throws IOException {
        var next = first;
        for (var left = ALL; left > 0; left -= each, next += 2) {
            for (var i = 0; i < each; i += 1 << 14) {
                client.send(frame(DATA, 0, next, new byte[1 << 14]));
            }
        }
        for (var stream = first; stream < next; stream += 2) {
            client.send(number(RST_STREAM, stream, 8));
        }
        for (var left = ALL; left > 0;) {
            left -= client.grant(0);
        }
        return next;
    }

    @Test
    void contentThatIsNotReadMakesRoomAtTheReset() throws Exception {
        try (var client = connected()) {
            var each = STANDARD_WINDOW + client.grant(1);
            assertThat(client.grant(0)).isEqualTo(ALL - STANDARD_WINDOW);
            for (var i = 0; i < ALL / each; i++) {
                client.send(post(2 * i + 1, "/slow"));
            }
            begun.acquire(ALL / each);
            var next = useUp(client, 1, each);
            client.send(post(next, "/count"));
            client.send(data(next, "abc", END_STREAM));
            assertThat(client.outcome(next)).isEqualTo("200 3");
        }
    }

    @Test
    void aHeadNeedsNoRoom() throws Exception {
        try (var client = connected()) {
            client.send(window(0));
            client.send(get(1, "/"));
            client.send(get(3, "/much"));
            assertThat(client.status(1)).isEqualTo(200);
            client.send(number(WINDOW_UPDATE, 1, 4));
            assertThat(client.outcome(1)).isEqualTo("root");
            client.send(number(WINDOW_UPDATE, 0, MUCH));
            client.send(number(WINDOW_UPDATE, 3, MUCH));
            assertThat(client.outcome(3)).endsWith("\0".repeat(MUCH));
        }
    }

    private static long usedMemory() {
        for (var i = 0; i < 5; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void contentThatIsDroppedIsNotKept() throws Exception {
        try (var client = connected()) {
            var each = STANDARD_WINDOW + client.grant(1);
            assertThat(client.grant(0)).isEqualTo(ALL - STANDARD_WINDOW);
            var rounds = 112 / (ALL / each);
            for (var i = 0; i < 112; i++) {
                client.send(post(2 * i + 1, "/slow"));
            }
            begun.acquire(112);
            var before = usedMemory();
            for (int i = 0, next = 1; i < rounds; i++) {
                next = useUp(client, next, each);
            }
            assertThat(usedMemory() - before).isLessThan(rounds * ALL / 2);
        }
    }

    @Test
    void aRequestThatItsClientBreaksOffIsReported() throws Exception {
        var reported = new Semaphore(0);
        try (var client = connected(WebOptions.localPort(0).accessLog(access -> reported.release()))) {
            client.send(post(1, "/read"));
            client.send(data(1, "abc", 0));
            Waits.on(reader);
        }
        Waits.on(broken);
        try (var client = new RawHttp2(server.port())) { // takes longer than to cut the other
            client.send(get(1, "/"));
            assertThat(client.outcome(1)).isEqualTo("200 root");
        }
        go.countDown();
        endsWithoutATrace();
        assertThat(reported.availablePermits()).isEqualTo(2);
    }

    @Test
    void nothingComesForARequestAfterItsReset() throws Exception {
        try (var client = connected()) {
            client.send(window(0));
            client.send(post(1, "/slow", "expect", "100-continue"));
            client.send(post(3, "/echo"));
            client.send(data(3, "a".repeat(10_000), 0));
            begun.acquire();
            client.send(number(RST_STREAM, 1, 8));
            go.countDown();
            var reset = CompletableFuture.supplyAsync(() -> outcome(client, 3));
            Waits.until("the answer is broken off", () -> {
                time.advance(Duration.ofSeconds(1));
                return reset.isDone();
            });
            assertThat(reset.join()).startsWith("RST");
            client.send(get(5, "/"));
            for (var got = client.read(); got.orElseThrow().stream() != 5; got = client.read()) {
                assertThat(got.orElseThrow().stream()).isZero();
            }
        }
    }

    /** A client cannot send what other requests leave no room for. */
    @Test
    void theLackOfRoomIsNotTheFaultOfTheClient() throws Exception {
        try (var client = connected()) {
            var each = STANDARD_WINDOW + client.grant(1);
            assertThat(client.grant(0)).isEqualTo(ALL - STANDARD_WINDOW);
            var next = 1;
            for (var left = ALL; left > 0; left -= each, next += 2) {
                client.send(post(next, "/slow"));
                for (var i = 0; i < each; i += 1 << 14) {
                    client.send(frame(DATA, 0, next, new byte[1 << 14]));
                }
            }
            client.send(post(next, "/read"));
            Waits.parked(Waits.on(reader));
            for (var i = 0; i < 200; i++) {
                time.advance(Duration.ofSeconds(1));
            }
            go.countDown();
            assertThat(client.grant(0)).isPositive();
            time.advance(Duration.ofSeconds(1));
            client.send(data(next, "abc", END_STREAM));
            assertThat(client.outcome(next)).isEqualTo("200 got abc");
        }
    }

    @Test
    void aClientThatLeavesGetsItsAnswers() throws Exception {
        try (var client = connected()) {
            client.send(get(1, "/slow"));
            begun.acquire();
            client.send(frame(GOAWAY, 0, 0, new byte[8]));
            client.send(frame(PING, 0, 0, new byte[8]));
            while (client.read().orElseThrow().type() != PING) {
                // the frames before it
            }
            go.countDown();
            assertThat(client.outcome(1)).isEqualTo("200 slow");
            Waits.until("the connection ends", () -> {
                time.advance(Duration.ofSeconds(1));
                return server.connections() == 0;
            });
        }
    }

    @Test
    void prioritiesOfIdleStreamsAreNotRemembered() throws Exception {
        try (var client = connected()) {
            for (var i = 1; i <= 300; i++) {
                client.send(frame(PRIORITY, 0, 2 * i + 1, new byte[5]));
            }
            client.send(get(1, "/"));
            assertThat(client.outcome(1)).isEqualTo("200 root");
        }
    }
}
