import org.jspecify.annotations.NullMarked;

/**
 * Web sockets that are actors, and HTTP/2, on Helidon's engine.
 *
 * <pre>{@code
 * var routes = HttpRoutes.none()
 *         .get("/hello/{name}", call -> HttpAnswer.text("Hello " + call.parameter("name")))
 *         .get("/echo", WebSocketRoute.of((socket, text) -> socket.send(text)));
 * try (var server = WebServer.start(8080, routes)) {
 *     server.waitForExit();
 * }
 * }</pre>
 *
 * <p>{@link io.fibry.web.WebServer} starts a server.
 * The page {@code docs/web.md} in the source repository has more.
 */
@NullMarked
module io.fibry.web {
    requires transitive io.fibry;
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;
    requires io.helidon.webserver;
    requires io.helidon.webserver.http2;
    requires io.helidon.common.buffers;
    requires io.helidon.common.socket;
    requires io.helidon.common.context;
    requires io.helidon.common.concurrency.limits;
    requires io.helidon.http;
    requires io.helidon.http.media;
    requires io.helidon.http.encoding;

    exports io.fibry.web;
}
