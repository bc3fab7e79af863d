package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.Failed;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Extremes;
import io.fibry.testing.Recorder;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every limit of fibry-web at its extremes: also when a look at all connections comes, which is by the clock. */
class WebExtremesTest {
    private static final WebOptions LOCAL = WebOptions.localPort(0).http2Upgrade(true);

    private interface Use {
        void of(Server server, ManualTime time) throws Exception;
    }

    private static void serve(WebOptions options, WebSocketOptions sockets, Use use) throws Exception {
        var recorder = new Recorder();
        var time = new ManualTime();
        var routes = HttpRoutes.none().post("/", call -> HttpAnswer.text("read " + call.bytes().length))
                .get("/socket", WebSocketRoute.of((socket, text) -> socket.send(text)).with(sockets));
        try (var scope = ActorSystem.configure("test").listener(recorder).time(time).open();
                var server = WebServer.start(scope.anonymous(), options, routes)) {
            use.of(server, time);
            assertThat(recorder.of(Failed.class)).allSatisfy(
                    failed -> assertThat(failed.cause()).isInstanceOf(IOException.class));
        }
    }

    private static void web(WebOptions options) throws Exception {
        var refuses = options.http().headerBytes() < 1_000 || options.http().headerCount() < 10
                || options.http().bodyBytes() < 5;
        serve(options, WebSocketOptions.standard(), (server, time) -> {
            for (var version : HttpClient.Version.values()) {
                try (var client = HttpClient.newBuilder().version(version).build()) {
                    var uri = URI.create("http://localhost:" + server.port() + "/");
                    for (var body : List.of(BodyPublishers.ofString("hello"),
                            BodyPublishers.ofInputStream(() -> InputStream.nullInputStream()))) {
                        var answer = client.send(HttpRequest.newBuilder(uri).POST(body).build(),
                                BodyHandlers.ofString());
                        assertThat(answer.statusCode() / 100).isIn(refuses ? List.of(2, 4) : List.of(2));
                        time.advance(Duration.ofMillis(500)); // somebody looks at all connections
                    }
                }
            }
        });
    }

    private static void http(UnaryOperator<HttpOptions> change) throws Exception {
        web(LOCAL.http(change));
    }

    private static void socket(UnaryOperator<WebSocketOptions> change) throws Exception {
        serve(LOCAL, change.apply(WebSocketOptions.standard()), (server, time) -> {
            try (var raw = RawSocket.open(server.port(), "/socket")) {
                time.advance(Duration.ofMillis(500)); // somebody looks at all connections
                raw.text("hello");
                assertThat(raw.read().text()).isEqualTo("hello");
            }
        });
    }

    @TestFactory
    List<DynamicTest> limits() {
        return new Extremes()
                .number("WebOptions.connections", n -> web(LOCAL.connections(n)))
                .time("WebOptions.idleTimeout", d -> web(LOCAL.idleTimeout(d)))
                .time("WebOptions.readLimit", d -> web(LOCAL.http(http -> http.readLimit(d))))
                .number("HttpOptions.requests", n -> http(o -> o.requests(n)))
                .number("HttpOptions.headerBytes", n -> http(o -> o.headers(n, 100)))
                .number("HttpOptions.headerCount", n -> http(o -> o.headers(10_000, n)))
                .longNumber("HttpOptions.bodyBytes", n -> http(o -> o.bodyBytes(n)))
                .time("HttpOptions.writeLimit", d -> http(o -> o.writeLimit(d)))
                .number("WebSocketOptions.messageBytes", n -> socket(o -> o.messageBytes(n)))
                .number("WebSocketOptions.outboundOrDisconnect", n -> socket(o -> o.outboundOrDisconnect(n)))
                .number("WebSocketOptions.outbound", n -> socket(
                        o -> o.outbound(MailboxPolicy.bounded(n, OverflowPolicy.dropOldest()))))
                .time("WebSocketOptions.idleTimeout", d -> socket(o -> o.idleTimeout(d)))
                .time("WebSocketOptions.writeLimit", d -> socket(o -> o.writeLimit(d)))
                .time("WebSocketOptions.closeLimit", d -> socket(o -> o.closeLimit(d)))
                .time("Server.stop", d -> serve(LOCAL, WebSocketOptions.standard(),
                        (server, time) -> assertThat(server.stop(d).stopped()).isTrue()))
                .tests();
    }
}
