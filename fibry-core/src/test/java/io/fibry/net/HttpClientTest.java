package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that are sent again if that may help. */
@Tag("once")
class HttpClientTest {
    private static final HttpRetries FAST =
            HttpRetries.standard().pauses(Duration.ofMillis(1), Duration.ofMillis(4));
    private final ActorScope scope = ActorSystem.open("test");
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger attempts = new AtomicInteger();

    @AfterEach
    void closeAll() {
        scope.close();
        http.close();
    }

    private Server failing(int times, int status) {
        return in(scope).embeddedHttpServer(local(), exchange -> {
            if (attempts.incrementAndGet() <= times) {
                throw new HttpProblem(status, "not now");
            }
            return exchange.getRequestMethod() + " " + attempts;
        });
    }

    private static HttpRequest request(Server server, String method) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/x"))
                .method(method, BodyPublishers.noBody()).build();
    }

    private Actor<HttpRequest, HttpResponse<String>> client(ActorScope where, HttpRetries retries) {
        return in(where).httpClient(http, retries, BodyHandlers.ofString());
    }

    @EveryStrategy
    void aRequestThatFailsForAWhileSucceeds(Strategy strategy) throws Exception {
        try (var own = Scopes.on(strategy)) {
            // 503 comes with Retry-After, which is honoured below
            var response = client(own, FAST).sendMessageReturnWait(request(failing(2, 502), "GET"));
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("GET 3");
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, 502, 3", "PUT, 504, 3", "DELETE, 429, 3", "POST, 502, 1", "PATCH, 502, 1",
        "GET, 404, 1",
        "GET, 501, 1"})
    @Promise("16.1")
    void theLastResponseIsTheAnswer(String method, int status, int expected) throws Exception {
        var response =
                client(scope, FAST)
                        .sendMessageReturnWait(request(failing(Integer.MAX_VALUE, status), method));
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(attempts).hasValue(expected);
    }

    @Test
    @Promise("16.1")
    void allMethodsAreRepeatedIfThatIsAskedFor() throws Exception {
        var response = client(scope, FAST.repeatingAllMethods())
                .sendMessageReturnWait(request(failing(1, 502), "POST"));
        assertThat(response.body()).isEqualTo("POST 2");
    }

    @Test
    @Promise("16.1")
    void aConnectionThatFailsIsTriedAgain() throws Exception {
        Thread accepting;
        try (var refusing = new ServerSocket(0)) {
            accepting = Thread.ofPlatform().start(() -> refuseAll(refusing));
            var uri = URI.create("http://127.0.0.1:" + refusing.getLocalPort() + "/x");
            var answer = client(scope, FAST).sendMessageReturn(HttpRequest.newBuilder(uri)
                    .version(HttpClient.Version.HTTP_1_1).PUT(BodyPublishers.ofString("a")).build());
            assertThat(Waits.failure(answer)).isInstanceOf(IOException.class)
                    .hasMessageContainingAll("PUT http://127.0.0.1:", "/x failed in attempt 3")
                    .hasCauseInstanceOf(IOException.class);
        }
        Waits.on(accepting);
        assertThat(attempts.get()).isGreaterThanOrEqualTo(3); // the JDK's client has its own ideas too
    }

    private void refuseAll(ServerSocket refusing) {
        try {
            while (true) {
                refusing.accept().close();
                attempts.incrementAndGet();
            }
        } catch (IOException closed) {
            // that is the end of it
        }
    }

    @Test
    @Promise("16.1")
    void pausesDoubleAndAreSpread() throws Exception {
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var server = failing(Integer.MAX_VALUE, 502);
            var client = client(own, HttpRetries.standard().attempts(5)
                    .pauses(Duration.ofMillis(100), Duration.ofMillis(400)).deadline(Duration.ofHours(1)));
            var first = new ArrayList<Long>();
            for (int round = 0; round < 4; round++) {
                attempts.set(0);
                var answer = client.sendMessageReturn(request(server, "GET"));
                var pauses = pauses(time, answer);
                assertThat(pauses).hasSize(4);
                for (int i = 0; i < 4; i++) {
                    var longest = List.of(100L, 200L, 400L, 400L).get(i) * 1_000_000;
                    assertThat(pauses.get(i)).isBetween(longest / 2, longest);
                }
                first.add(pauses.getFirst());
                assertThat(answer.get().statusCode()).isEqualTo(502);
            }
            assertThat(first.stream().distinct().count()).isGreaterThan(1);
        }
        assertThat(time.pending()).isZero();
    }

    /** Lets each pause pass as soon as it has begun; how long they were. */
    private List<Long> pauses(ManualTime time, CompletableFuture<?> answer) {
        var pauses = new ArrayList<Long>();
        for (int tried = 1; tried < 5; tried++) {
            var reached = tried;
            await().until(() -> attempts.get() == reached && time.pending() == 1);
            var before = time.nanoTime();
            // The alarm of a sent request is cancelled before the pause is set: one is pending in between too.
            await().until(() -> time.pending() == 1 && attempts.get() == reached && isPause(time));
            time.advanceToNext();
            pauses.add(time.nanoTime() - before);
        }
        return pauses;
    }

    private static boolean isPause(ManualTime time) {
        return time.nanosToNext() < Duration.ofMinutes(1).toNanos();
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "'Wed, 21 Oct 2015 07:28:30 GMT', 30"})
    @Promise("16.1")
    void theServerSaysHowLongToWait(String retryAfter, long seconds) throws Exception {
        var time = new ManualTime();
        var server = new OnePort(socket -> "HTTP/1.1 503 No\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT\r\n"
                + "Retry-After: " + retryAfter + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        try (server; var own = ActorSystem.configure("own").time(time).open()) {
            var client = client(own, FAST.attempts(2).deadline(Duration.ofHours(1)));
            var answer = client.sendMessageReturn(HttpRequest.newBuilder(server.uri()).build());
            await().until(() -> time.pending() == 1 && isPause(time));
            time.advance(Duration.ofSeconds(seconds).minusNanos(1));
            assertThat(server.requests()).isEqualTo(1);
            time.advance(Duration.ofNanos(1));
            assertThat(Waits.on(answer).statusCode()).isEqualTo(503);
            assertThat(server.requests()).isEqualTo(2);

            // One who is to wait beyond the deadline does not wait at all.
            var impatient = client(own, FAST.attempts(2).deadline(Duration.ofSeconds(seconds)));
            assertThat(impatient.sendMessageReturnWait(HttpRequest.newBuilder(server.uri()).build())
                    .statusCode()).isEqualTo(503);
            assertThat(server.requests()).isEqualTo(3);
        }
    }

    @Test
    @Promise("16.1")
    void theDeadlineIsForTheContentToo() throws Exception {
        var server = new OnePort(socket -> "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        try (server) {
            var client = client(scope, FAST.deadline(Duration.ofMillis(100)));
            assertThatThrownBy(
                    () -> client.sendMessageReturnWait(HttpRequest.newBuilder(server.uri()).build()))
                    .cause().isInstanceOf(HttpTimeoutException.class).hasMessageContaining("PT0.1S");
        }
    }

    @Test
    @Promise("16.1")
    void manyRequestsAreOnTheirWayAtTheSameTime() throws Exception {
        int count = 50;
        var all = new CountDownLatch(count);
        var server = in(scope).embeddedHttpServer(local(), exchange -> {
            all.countDown();
            all.await();
            return "together";
        });
        var client = client(scope, HttpRetries.none());
        var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
        for (int i = 0; i < count; i++) {
            answers.add(client.sendMessageReturn(request(server, "GET")));
        }
        for (var answer : answers) {
            assertThat(Waits.on(answer).body()).isEqualTo("together");
        }
    }

    @Test
    void aCancelledAnswerEndsTheRequest() throws Exception {
        var handling = new CountDownLatch(1);
        var server = new OnePort(socket -> {
            handling.countDown();
            return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
        });
        try (server) {
            var answer = client(scope, FAST).sendMessageReturn(HttpRequest.newBuilder(server.uri()).build());
            Waits.on(handling);
            answer.cancel(true);
            server.awaitGone();
        }
    }

    @Test
    void retriesAreChecked() {
        var standard = HttpRetries.standard();
        assertThatThrownBy(() -> standard.attempts(0)).hasMessage("attempts must be at least 1: 0");
        assertThatThrownBy(() -> standard.deadline(Duration.ZERO))
                .hasMessage("deadline must be more than zero: PT0S");
        assertThatThrownBy(() -> standard.pauses(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("longestPause must not be less");
    }

    /** Dates and deadlines that no long of nanoseconds holds are far away, and no more than that. */
    @Test
    @Promise("16.1")
    void farAwayIsFarAway() throws Exception {
        var server = new OnePort(socket -> "HTTP/1.1 503 No\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT\r\n"
                + "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        try (server; var own = ActorSystem.open("own")) {
            var client = client(own, FAST.attempts(2).deadline(Duration.ofDays(400 * 365)));
            assertThat(
                    client.sendMessageReturnWait(HttpRequest.newBuilder(server.uri()).build()).statusCode())
                    .isEqualTo(503);
            assertThat(server.requests()).isEqualTo(1);
        }
    }
}
