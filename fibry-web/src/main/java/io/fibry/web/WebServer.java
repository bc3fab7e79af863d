package io.fibry.web;

import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.internal.WebListener;

/**
 * Starts web servers: HTTP/1.1, HTTP/2 and web sockets on one port.
 *
 * <pre>{@code
 * var routes = HttpRoutes.none()
 *         .get("/", call -> HttpAnswer.html(page))
 *         .get("/echo", WebSocketRoute.of((socket, text) -> socket.send(text)));
 * WebServer.start(8080, routes).waitForExit();
 * }</pre>
 *
 * <p>HTTP handlers have what they have in {@link io.fibry.Stereotypes#embeddedHttpServer}, but must answer through
 * their return value.
 */
public final class WebServer {
    private WebServer() {
    }

    /**
     * Starts a server on all addresses of the machine, in the root scope, whose handlers run on the default strategy.
     *
     * @param port where it listens; 0 takes any free port
     * @param routes what answers
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the port cannot be used
     */
    public static Server start(int port, HttpRoutes routes) {
        return start(WebOptions.port(port), routes);
    }

    /**
     * Starts a server in the root scope, whose handlers run on the default strategy.
     *
     * @param options how it is to be
     * @param routes what answers
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public static Server start(WebOptions options, HttpRoutes routes) {
        return start(ActorSystem.anonymous(), options, routes);
    }

    /**
     * Starts a server.
     *
     * @param builder the scope where it lives and which stops it, and the strategy on which its handlers run; requests
     *            and web sockets are read and written by fibers on every strategy
     * @param options how it is to be
     * @param routes what answers
     * @return the server, which runs until it is stopped
     * @throws java.io.UncheckedIOException if the address cannot be used
     */
    public static Server start(ActorBuilder builder, WebOptions options, HttpRoutes routes) {
        return WebListener.start(builder, options, routes);
    }
}
