package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Forced;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That nothing is left behind is looked at after each test. */
@Promise("17.4")
class WebStopTest {
    private static final Duration LONG = Patience.LIMIT;

    private final ActorScope scope = ActorSystem.configure("web").closeTimeout(LONG).open();
    private final Heard heard = new Heard();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void close() {
        scope.close();
    }

    private Server start() {
        return start(scope);
    }

    private Server start(ActorScope in) {
        return WebServer.start(in.anonymous(), WebOptions.localPort(0).http2Upgrade(true), HttpRoutes.none()
                .get("/socket", WebSocketRoute.of(heard))
                .get("/quick", call -> HttpAnswer.text("quick"))
                .get("/slow", call -> {
                    begun.countDown();
                    go.await();
                    return HttpAnswer.text("slow");
                })
                .get("/stuck", WebSocketRoute.of((socket, text) -> {
                    begun.countDown();
                    go.await();
                })));
    }

    private static URI uri(Server server, String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private static boolean isRefused(Server server) {
        try (var client = new RawSocket(server.port())) {
            client.raw(new byte[0]);
            return false;
        } catch (java.io.IOException refused) {
            return true;
        }
    }

    @Test
    void socketsAreToldThatTheServerGoesAway() throws Exception {
        var server = start();
        try (var client = RawSocket.open(server.port(), "/socket")) {
            assertThat(heard.next()).isEqualTo("opened");
            heard.sockets.getFirst().send("last words");
            var report = CompletableFuture.supplyAsync(() -> server.stop(LONG));
            assertThat(client.read().text()).isEqualTo("last words");
            assertThat(client.closeCode()).isEqualTo(1001);
            assertThat(report).isNotDone();
            client.close(1001);
            assertThat(client.ends()).isTrue();
            assertThat(report.get().forced()).isFalse();
            assertThat(report.get().stopped()).isTrue();
        }
        assertThat(heard.next()).isEqualTo("closed 1001");
        assertThatThrownBy(() -> new RawSocket(server.port())).isInstanceOf(ConnectException.class);
        server.waitForExit();
    }

    @Test
    void clientsThatDoNotAnswerAreCutAtTheDeadline() throws Exception {
        var time = new ManualTime();
        var deadline = Duration.ofSeconds(1); // sooner than the socket's own closeLimit
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var server = start(own);
            try (var client = RawSocket.open(server.port(), "/socket")) {
                assertThat(heard.next()).isEqualTo("opened");
                var pending = time.pending();
                var report = CompletableFuture.supplyAsync(() -> server.stop(deadline));
                assertThat(client.closeCode()).isEqualTo(1001);
                assertThat(report).isNotDone();
                Waits.until("its deadline is set", () -> time.pending() > pending);
                time.advance(deadline);
                assertThat(Waits.on(report).forced()).isTrue();
                assertThat(report.join().stopped()).isTrue();
                client.ends();
            }
        }
        assertThat(heard.next()).isEqualTo("closed 1001");
    }

    @Test
    void closeCutsAtOnce() throws Exception {
        var server = start();
        try (var client = RawSocket.open(server.port(), "/socket"); var idle = new RawSocket(server.port())) {
            assertThat(heard.next()).isEqualTo("opened");
            server.close();
            client.ends();
            idle.ends();
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void aHandlerThatHangsIsInterrupted() throws Exception {
        var server = start();
        try (var client = RawSocket.open(server.port(), "/stuck")) {
            client.text("hang");
            begun.await();
            var report = Forced.stop(() -> server.stop(Duration.ofMillis(50)));
            assertThat(report.forced()).isTrue();
            assertThat(report.stuck()).isEmpty();
        }
    }

    @Test
    void theEndOfTheScopeIsAStop() throws Exception {
        var server = start();
        try (var client = RawSocket.open(server.port(), "/socket")) {
            assertThat(heard.next()).isEqualTo("opened");
            var closed = CompletableFuture.runAsync(scope::close);
            assertThat(client.closeCode()).isEqualTo(1001);
            client.close(1001);
            assertThat(client.ends()).isTrue();
            closed.get();
        }
        assertThat(server.waitForExit(LONG)).isTrue();
        assertThat(heard.next()).isEqualTo("closed 1001");
        assertThatThrownBy(
                () -> WebServer.start(scope.anonymous(), WebOptions.localPort(0).http2Upgrade(true),
                        HttpRoutes.none()))
                .isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void requestsInWorkAreAnsweredAndConnectionsThatAreIdleDoNotHinder(HttpClient.Version version)
            throws Exception {
        var server = start();
        try (var client = HttpClient.newBuilder().version(version).build()) {
            assertThat(client
                    .send(HttpRequest.newBuilder(uri(server, "/quick")).build(), BodyHandlers.ofString())
                    .body()).isEqualTo("quick");
            var slow = client.sendAsync(HttpRequest.newBuilder(uri(server, "/slow")).build(),
                    BodyHandlers.ofString());
            begun.await();
            var report = CompletableFuture.supplyAsync(() -> server.stop(LONG));
            Waits.until("nobody listens", () -> isRefused(server));
            go.countDown();
            assertThat(slow.get().body()).isEqualTo("slow");
            assertThat(report.get().forced()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void anIdleConnectionIsClosedAtOnce(HttpClient.Version version) throws Exception {
        var server = start();
        try (var client = HttpClient.newBuilder().version(version).build()) {
            client.send(HttpRequest.newBuilder(uri(server, "/quick")).build(), BodyHandlers.ofString());
            assertThat(server.stop(LONG).forced()).isFalse();
        }
    }

    @Test
    void aHandlerMayStopItsServer() throws Exception {
        var stopped = new CompletableFuture<Server>();
        var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http2Upgrade(true),
                HttpRoutes.none()
                        .get("/", WebSocketRoute.of((socket, text) -> stopped.get().stop(LONG)))
                        .get("/stop", call -> {
                            stopped.get().stop(LONG);
                            return HttpAnswer.text("stopping");
                        }));
        stopped.complete(server);
        try (var client = RawSocket.open(server.port(), "/")) {
            client.text("stop");
            assertThat(client.closeCode()).isEqualTo(1001);
            client.close(1001);
            assertThat(client.ends()).isTrue();
        }
        assertThat(server.waitForExit(LONG)).isTrue();
    }

    /** Ten times: an upgraded connection that ended with its next frame lost the answer now and then. */
    @RepeatedTest(10)
    void aRequestOfHttp2MayStopTheServerAndIsAnswered() throws Exception {
        aRequestMayStopTheServerAndIsAnswered(HttpClient.Version.HTTP_2);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void aRequestMayStopTheServerAndIsAnswered(HttpClient.Version version) throws Exception {
        var stopped = new CompletableFuture<Server>();
        var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http2Upgrade(true),
                HttpRoutes.none().get("/", call -> {
                    stopped.get().stop(LONG);
                    return HttpAnswer.text("stopping");
                }));
        stopped.complete(server);
        try (var client = HttpClient.newBuilder().version(version).build()) {
            assertThat(client.send(HttpRequest.newBuilder(uri(server, "/")).build(), BodyHandlers.ofString())
                    .body())
                    .isEqualTo("stopping");
            assertThat(server.waitForExit(LONG)).isTrue();
        }
    }

    /** A client that finds its connection closed may discard an answer that it has not read yet. */
    @Test
    void aClientOfHttp2HasAMomentToReadItsAnswerWhenTheServerStops() throws Exception {
        var time = new ManualTime();
        try (var own = ActorSystem.configure("own").time(time).open()) {
            var server = start(own);
            try (var client = new RawHttp2(server.port())) {
                client.send(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1,
                        RawHttp2.get("/quick", "x")));
                assertThat(client.outcome(1)).isEqualTo("200 quick");
                var pending = time.pending();
                var report = CompletableFuture.supplyAsync(() -> server.stop(LONG));
                Waits.until("its deadline is set", () -> time.pending() > pending);
                client.send(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
                assertThat(client.read().map(RawHttp2.Frame::type)).hasValue(RawHttp2.PING);
                time.advance(Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(1));
                assertThat(client.read()).isEmpty();
                assertThat(Waits.on(report).forced()).isFalse();
            }
        }
    }

    @Test
    void aPortThatIsTakenIsSaid() {
        var server = start();
        assertThatThrownBy(() -> WebServer.start(scope.anonymous(), WebOptions.localPort(server.port()),
                HttpRoutes.none())).isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(Integer.toString(server.port()));
        server.close();
    }

    @Test
    void aStoppedServerCanBeStoppedAgain() {
        var server = start();
        assertThat(server.stop(LONG).stopped()).isTrue();
        assertThat(server.stop(LONG).stopped()).isTrue();
        server.close();
    }
}
