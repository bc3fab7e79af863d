package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.Stereotypes;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Clients that send slowly: who gets on is served, who does not is cut off. The time is the test's. */
class HttpUploadTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final HttpOptions LOCAL = HttpOptions.localPort(0);
    private final ManualTime time = new ManualTime();
    private final AtomicInteger read = new AtomicInteger();

    private Server server(ActorScope scope, HttpOptions options) {
        return Stereotypes.with(scope.anonymous()).embeddedHttpServer(options, call -> {
            var in = call.body();
            while (in.read() >= 0) {
                read.incrementAndGet();
            }
            return "read " + read.get();
        });
    }

    private ActorScope scope(Strategy strategy) {
        return ActorSystem.configure("test").time(time).strategy(strategy.create()).open();
    }

    /** For far longer than the limit, but never for as long as that without a byte. */
    @EveryStrategy
    @Promise("14.4")
    void aSlowUploadThatGetsOnIsTaken(Strategy strategy) throws Exception {
        try (var scope = scope(strategy);
                var server = server(scope, LOCAL);
                var client = new Client(server)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20\r\n\r\n");
            for (int i = 1; i <= 20; i++) {
                client.send("x");
                var sent = i;
                Waits.until("it is read", () -> read.get() == sent);
                time.advance(LIMIT.dividedBy(2));
            }
            assertThat(client.rest()).startsWith("HTTP/1.1 200 ").endsWith("read 20");
        }
    }

    @EveryStrategy
    @Promise("14.4")
    void anUploadThatDoesNotGetOnIsCutOff(Strategy strategy) throws Exception {
        try (var scope = scope(strategy); var server = server(scope, LOCAL)) {
            var client =
                    new Client(server).send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\nxyz");
            Waits.until("it is read", () -> read.get() == 3);
            isCutInTime(client);
            Waits.until("nothing is left of it", () -> server.connections() == 0);
            try (var other = new Client(server)) {
                assertThat(other.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").rest())
                        .startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    @Promise("14.4")
    void aHeadThatDoesNotComeIsNotWaitedForForever() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open(); var server = server(scope, LOCAL)) {
            var client = new Client(server).send("GET / HTTP/1.1\r\nHost: x\r\nX: ");
            Waits.until("it is being read", () -> server.connections() == 1);
            isCutInTime(client);
        }
    }

    @Test
    @Promise("14.4")
    void aHeadThatComesByteByByteHasALimitToo() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open();
                var server = server(scope, LOCAL.readLimit(LIMIT.multipliedBy(3)));
                var client = new Client(server)) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX: ");
            Waits.until("it is being read", () -> server.connections() == 1);
            for (int i = 0; server.connections() > 0; i++) {
                assertThat(i).as("times that its limit was over").isLessThan(1_000);
                try {
                    client.send("a");
                } catch (IOException cutOff) {
                    // the server may be about to forget it
                }
                time.advance(LIMIT.multipliedBy(2));
            }
            assertThat(client.isCut()).isTrue();
        }
    }

    @Test
    @Promise("14.4")
    void aConnectionWithoutRequestsIsClosedInTime() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open(); var server = server(scope, LOCAL)) {
            var client = new Client(server).send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.line()).startsWith("HTTP/1.1 200 ");
            time.advance(LIMIT.dividedBy(2));
            assertThat(server.connections()).isEqualTo(1);
            isCutInTime(client);
        }
    }

    @Test
    @Promise("14.4")
    void contentThatIsRefusedIsNotWaitedForForever() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open();
                var server = server(scope, LOCAL.bodyBytes(10))) {
            var client = new Client(server)
                    .send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nxyz");
            assertThat(client.line()).startsWith("HTTP/1.1 413 ");
            isCutInTime(client);
        }
    }

    @Test
    @Promise("14.4")
    void contentThatComesSteadilyHasALimitToo() throws Exception {
        try (var scope = ActorSystem.configure("test").time(time).open();
                var server = server(scope, LOCAL.contentLimit(LIMIT.multipliedBy(2)));
                var client = new Client(server)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n");
            for (int i = 1; i <= 5; i++) {
                client.send("x");
                var sent = i;
                Waits.until("it is read", () -> read.get() == sent);
                time.advance(LIMIT.dividedBy(2));
            }
            client.send("x");
            assertThat(client.line()).startsWith("HTTP/1.1 408 ");
        }
    }

    /** A read that has just begun is looked at from the next look on. */
    private void isCutInTime(Client client) throws IOException {
        try (client) {
            client.socket.setSoTimeout(20);
            for (int i = 0; i < 1_000; i++) {
                time.advance(LIMIT.dividedBy(2));
                try {
                    if (client.isCut()) {
                        return;
                    }
                } catch (SocketTimeoutException notYet) {
                    // time goes on
                }
            }
        }
        throw new AssertionError("it was not cut off");
    }

    @EveryStrategy
    @LogsErrors
    @Promise("14.6")
    void theReportOfAStopTellsTheRequests(Strategy strategy) throws Exception {
        var routes = HttpRoutes.none().get("/ok", call -> HttpAnswer.text("ok")).get("/fails", call -> {
            throw new IllegalStateException("as it must");
        });
        try (var scope = scope(strategy)) {
            var server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(LOCAL, routes);
            try (var client = new RawHttp(server)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(client.get("/ok").status()).isEqualTo(200);
                }
                assertThat(client.get("/nothing").status()).isEqualTo(404);
                assertThat(client.get("/fails").status()).isEqualTo(500);
            }
            try (var client = new Client(server)) {
                client.send("GET /../x HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n");
                assertThat(client.line()).startsWith("HTTP/1.1 400 ");
            }
            assertThat(server.stop(Duration.ofSeconds(5)).counters())
                    .isEqualTo(new Counters(4, 1, 0, 0, 1, 0));
        }
    }
}
