package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.net.Client;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that send slowly, and what a stop reports. The time is the test's. */
@Promise("17.8")
class WebUploadTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final WebOptions LOCAL = WebOptions.localPort(0).http2Upgrade(true);
    private final ManualTime time = new ManualTime();
    private final AtomicInteger read = new AtomicInteger();
    private final HttpRoutes routes = HttpRoutes.none().post("/", call -> {
        var in = call.body();
        while (in.read() >= 0) {
            read.incrementAndGet();
        }
        return HttpAnswer.text("read " + read.get());
    }).get("/ok", call -> HttpAnswer.text("ok")).get("/fails", call -> {
        throw new IllegalStateException("as it must");
    });

    private ActorScope scope() {
        return ActorSystem.configure("test").time(time).open();
    }

    private Server server(ActorScope scope, WebOptions options) {
        return WebServer.start(scope.anonymous(), options, routes);
    }

    @Test
    void aSlowUploadThatGetsOnIsTaken() throws Exception {
        try (var scope = scope(); var server = server(scope, LOCAL); var client = new Client(server)) {
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

    @Test
    void anUploadThatDoesNotGetOnIsCutOff() throws Exception {
        try (var scope = scope();
                var server = server(scope, LOCAL);
                var client = new Client(server)
                        .send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\nxyz")) {
            Waits.until("it is read", () -> read.get() == 3); // before that, there may be no connection either
            Waits.until("it is cut off", () -> {
                time.advance(LIMIT.dividedBy(2));
                return server.connections() == 0;
            });
            assertThat(client.isCut()).isTrue();
        }
    }

    @Test
    void contentThatComesSteadilyHasALimitToo() throws Exception {
        try (var scope = scope();
                var server = server(scope, LOCAL.http(http -> http.contentLimit(LIMIT.multipliedBy(2))));
                var client = new Client(server)) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n");
            for (int i = 1; i <= 4; i++) {
                client.send("x");
                var sent = i;
                Waits.until("it is read", () -> read.get() == sent);
                time.advance(LIMIT.dividedBy(2));
            }
            Waits.until("it is cut off", () -> {
                time.advance(Duration.ofSeconds(1));
                return server.connections() == 0;
            });
            assertThat(client.isCut()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @LogsErrors
    void theReportOfAStopTellsTheRequests(HttpClient.Version version) throws Exception {
        try (var scope = scope(); var client = HttpClient.newBuilder().version(version).build()) {
            var server = server(scope, LOCAL);
            for (var path : new String[]{"ok", "ok", "nothing", "fails"}) {
                var uri = URI.create("http://localhost:" + server.port() + "/" + path);
                client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            }
            client.shutdownNow();
            assertThat(server.stop(Duration.ofSeconds(5)).counters())
                    .isEqualTo(new Counters(3, 1, 0, 0, 0, 0));
        }
    }
}
