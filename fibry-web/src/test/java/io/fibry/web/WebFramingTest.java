package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.HttpFraming;
import io.fibry.testing.HttpFramingCases;
import io.fibry.testing.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that attackers send to fibry-web. What is logged as an error fails every test. */
@Promise("17.8")
class WebFramingTest extends HttpFramingCases {
    @Override
    protected Server start(HttpRoutes routes) {
        return WebServer.start(scope.anonymous(), WebOptions.localPort(0), routes);
    }

    @Override
    protected HttpRoutes more() {
        return HttpRoutes.none().get("/socket", WebSocketRoute.of((socket, text) -> socket.send(text)));
    }

    /** A proxy that passes on what it does not understand would not see what follows. */
    @Test
    void nobodyChangesToHttp2UnlessItIsOffered() throws Exception {
        var request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n";
        var answers = HttpFraming.answers(server.port(), request);
        assertThat(HttpFraming.statuses(answers)).containsExactly(200, 200);
        var offering = WebServer.start(scope.anonymous(), WebOptions.localPort(0).http2Upgrade(true),
                HttpRoutes.none().get("/", call -> HttpAnswer.text("root")));
        assertThat(HttpFraming.statuses(HttpFraming.answersTo(offering.port(), request))).startsWith(101);
        for (var options : List.of(WebOptions.localPort(0).http2Upgrade(true).http2(false),
                WebOptions.localPort(0).http2(false).http2Upgrade(true))) {
            var without = WebServer.start(scope.anonymous(), options, HttpRoutes.none().get("/",
                    call -> HttpAnswer.text("root")));
            assertThat(HttpFraming.statuses(HttpFraming.answersTo(without.port(), request)))
                    .containsExactly(200);
        }
    }

    @Test
    void aClientOfHttp10GetsNoWebSocket() throws Exception {
        assertThat(statuses("GET /socket HTTP/1.0\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"))
                .containsExactly(426);
    }

    /** The content would be read as frames. */
    @Test
    void aRequestWithContentGetsNoWebSocket() throws Exception {
        for (var content : List.of("Content-Length: 5\r\n\r\nhello",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")) {
            assertThat(statuses(
                    "GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                            + content
                            + "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
                    .containsExactly(400, 200);
        }
    }
}
