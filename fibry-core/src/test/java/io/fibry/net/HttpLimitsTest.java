package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ScopeLimits;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are too much of something. */
@Promise("14.4")
class HttpLimitsTest {
    private final ActorScope scope = ActorSystem.open("test");

    @AfterEach
    void closeScope() {
        scope.close();
    }

    private Server server(HttpOptions options) {
        return in(scope).embeddedHttpServer(options,
                call -> "read " + call.body().readAllBytes().length);
    }

    /** The answer to something, and whether the server then closes and still works. */
    private static RawHttp.Answer answer(Server server, String request) throws IOException {
        try (var client = new RawHttp(server)) {
            var answer = client.send(request).receive();
            if (answer.status() >= 400) {
                assertThat(client.isOver()).isTrue();
            }
            return answer;
        } finally {
            try (var other = new RawHttp(server)) {
                assertThat(other.send(RawHttp.GET).receive().status()).isEqualTo(200);
            }
        }
    }

    private static String headers(String more) {
        return "GET / HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
    }

    @Test
    void aPlaceToRunIsForHandlersAndNotForThoseWhoWaitForThem() throws Exception {
        try (var small = ActorSystem.configure("small").limits(ScopeLimits.none().running(1)).open()) {
            var most = new AtomicInteger();
            var running = new AtomicInteger();
            var server = in(small).embeddedHttpServer(local(), exchange -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                running.decrementAndGet();
                return "done";
            });
            var clients = new ArrayList<RawHttp>();
            try {
                for (int i = 0; i < 20; i++) {
                    clients.add(new RawHttp(server));
                    clients.getLast().send(RawHttp.GET);
                }
                for (var client : clients) {
                    assertThat(client.receive().body()).isEqualTo("done");
                }
            } finally {
                for (var client : clients) {
                    client.close();
                }
            }
            assertThat(most).hasValue(1);
        }
    }

    @Test
    void aScopeWithOnePlaceEndsWhenTheRequestInWorkIsAnswered() throws Exception {
        var blocked = new BlockedHandler();
        var small = ActorSystem.configure("small").limits(ScopeLimits.none().running(1)).open();
        try (var client = new RawHttp(in(small).embeddedHttpServer(local(), blocked))) {
            blocked.begin(client);
            var stopping = CompletableFuture.supplyAsync(() -> small.stop(Patience.LIMIT));
            Patience.spin("the scope being closed", () -> !takesInActors(small));
            blocked.letGo();
            assertThat(client.receive().body()).isEqualTo("done");
            var report = Waits.on(stopping);
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isFalse();
        }
    }

    @Test
    void headersMayBeSoLongAndSoMany() throws Exception {
        var server = server(local().headers(1_000, 10));
        assertThat(answer(server, headers("X: " + "a".repeat(900) + "\r\n")).status()).isEqualTo(200);
        assertThat(answer(server, headers("X: " + "a".repeat(1_000) + "\r\n")).status()).isEqualTo(431);
        assertThat(answer(server, headers("A: 1\r\n".repeat(9))).status()).isEqualTo(200);
        assertThat(answer(server, headers("A: 1\r\n".repeat(10))).status()).isEqualTo(431);
        var uri = "GET /" + "a".repeat(1_000) + " HTTP/1.1\r\nHost: x\r\n\r\n";
        assertThat(answer(server, uri).status()).isEqualTo(414);
    }

    @Test
    void headersWithoutEndAreRefused() throws Exception {
        assertThat(answer(server(local()), headers("X: " + "a".repeat(1_000_000))).status()).isEqualTo(431);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "GET / FTP/1.0\r\nHost: x\r\n\r\n", "nonsense\r\n\r\n",
        "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", "\0\1\2 \3 \4\r\n\r\n"})
    void whatIsNotHttpIsRefused(String garbage) throws Exception {
        assertThat(answer(server(local()), garbage).status()).isEqualTo(400);
    }

    @Test
    void aTlsGreetingOnAPlainPortDoesNoHarm() throws Exception {
        var server = server(local());
        try (var client = new RawHttp(server)) {
            client.send("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003");
            client.socket.shutdownOutput();
            assertThat(client.receive().status()).isEqualTo(400);
            assertThat(client.isOver()).isTrue();
        }
        assertThat(answer(server, RawHttp.GET).status()).isEqualTo(200);
    }

    @Test
    void contentMayBeSoLong() throws Exception {
        var server = server(local().bodyBytes(1_000));
        var post = "POST / HTTP/1.1\r\nHost: x\r\n";
        var fits = post + "Content-Length: 1000\r\n\r\n" + "a".repeat(1_000);
        assertThat(answer(server, fits).body()).isEqualTo("read 1000");
        var more = post + "Content-Length: 1001\r\n\r\n" + "a".repeat(1_001);
        assertThat(answer(server, more).status()).isEqualTo(413);
        var never = post + "Content-Length: 99999999999999\r\n\r\n";
        try (var client = new RawHttp(server)) {
            client.send(never);
            assertThat(client.receive().status()).isEqualTo(413); // without waiting for it
        }
        var chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
        var chunk = "1f4\r\n" + "a".repeat(500) + "\r\n";
        assertThat(answer(server, chunked + chunk.repeat(2) + "0\r\n\r\n").body()).isEqualTo("read 1000");
        assertThat(answer(server, chunked + chunk.repeat(3) + "0\r\n\r\n").status()).isEqualTo(413);
    }

    @Test
    void aClientThatIsStillSendingGetsToReadTheRefusal() throws Exception {
        var server = server(local().bodyBytes(1_000));
        for (int i = 0; i < 10; i++) {
            try (var client = new RawHttp(server)) { // sends all before it reads anything
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n");
                for (int sent = 0; sent < 900_000; sent += 90_000) {
                    client.send("a".repeat(90_000));
                }
                assertThat(client.receive().status()).isEqualTo(413);
                assertThat(client.isOver()).isTrue();
            }
        }
    }

    @Test
    void oneRequestTooManyIsRefused() throws Exception {
        var handling = new CountDownLatch(2);
        var go = new CountDownLatch(1);
        var server = in(scope).embeddedHttpServer(local().requests(2), exchange -> {
            handling.countDown();
            go.await();
            return "done";
        });
        try (var one = new RawHttp(server); var two = new RawHttp(server); var three = new RawHttp(server)) {
            one.send(RawHttp.GET);
            two.send(RawHttp.GET);
            Waits.on(handling);
            var refused = three.get("/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            go.countDown();
            assertThat(one.receive().status()).isEqualTo(200);
            assertThat(two.receive().status()).isEqualTo(200);
        }
        // A client has its answer before the server counts one request less.
        await().until(() -> {
            try (var again = new RawHttp(server)) {
                return again.get("/").status() == 200;
            }
        });
    }

    /** Content that nobody wants may come slowly, and is read over so that the client gets its answer. */
    @Test
    void requestsThatAreRefusedTakeNoPlace() throws Exception {
        var blocked = new BlockedHandler();
        var server = in(scope).embeddedHttpServer(local().requests(1), blocked);
        try (var first = new RawHttp(server);
                var second = new RawHttp(server);
                var tooLong = new RawHttp(server)) {
            tooLong.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
            assertThat(tooLong.receive().status()).isEqualTo(413);
            blocked.begin(first);
            second.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
            assertThat(second.receive().status()).isEqualTo(503);
            blocked.letGo();
            assertThat(first.receive().status()).isEqualTo(200);
            assertThat(first.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    void limitsAreChecked() {
        assertThatThrownBy(() -> local().requests(0)).hasMessage("requests must be at least 1: 0");
        assertThatThrownBy(() -> local().headers(0, 1)).hasMessage("headerBytes must be at least 1: 0");
        assertThatThrownBy(() -> local().bodyBytes(-1)).hasMessage("bodyBytes must be at least 0: -1");
        assertThatThrownBy(() -> local().writeLimit(java.time.Duration.ZERO))
                .hasMessage("writeLimit must be more than zero: PT0S");
    }

    private static boolean takesInActors(ActorScope scope) {
        try {
            scope.anonymous().newActor(message -> {
            });
            return true;
        } catch (IllegalStateException closing) {
            return false;
        }
    }
}
