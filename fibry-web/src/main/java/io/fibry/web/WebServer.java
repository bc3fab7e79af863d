package io.fibry.web;

import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.internal.WebSite;

/**
 * Starts web servers, which serve HTTP/1.1, HTTP/2 and web sockets on one port.
 *
 * <pre>{@code
 * var routes = HttpRoutes.none()
 *         .get("/", call -> HttpAnswer.html(page))
 *         .get("/echo", WebSocketRoute.of((socket, text) -> socket.send(text)));
 * WebServer.start(8080, routes).waitForExit();
 * }</pre>
 *
 * <p>HTTP handlers can use everything that they can use in {@link io.fibry.Stereotypes#embeddedHttpServer}, but must
 * answer by their return value.
 */
public final class WebServer {
    private WebServer() {
    }

    /**
     * Starts a server on all addresses of the machine, in the root scope, whose handlers run on the default strategy.
     *
     * @param port the port; 0 chooses any free port
     * @param routes the routes, whose handlers answer the requests
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     */
    public static Server start(int port, HttpRoutes routes) {
        return start(WebOptions.port(port), routes);
    }

    /**
     * Starts a server in the root scope, whose handlers run on the default strategy.
     *
     * @param options the options of the server
     * @param routes the routes, whose handlers answer the requests
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public static Server start(WebOptions options, HttpRoutes routes) {
        return start(ActorSystem.anonymous(), options, routes);
    }

    /**
     * Starts a server.
     *
     * @param builder determines the scope in which the server lives and by which it is stopped, and the strategy on
     *     which its handlers run; fibers read and write requests and web sockets on every strategy
     * @param options the options of the server
     * @param routes the routes, whose handlers answer the requests
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public static Server start(ActorBuilder builder, WebOptions options, HttpRoutes routes) {
        return WebSite.start(builder, options, routes);
    }
}
