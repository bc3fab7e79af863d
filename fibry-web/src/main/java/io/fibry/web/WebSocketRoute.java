package io.fibry.web;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.web.internal.Handshake;
import java.util.Objects;

/**
 * A route for GET that opens web sockets. Routes are immutable.
 *
 * <pre>{@code
 * HttpRoutes.none().get("/chat/{room}", WebSocketRoute.of(new Chat()).with(WebSocketOptions.standard()))
 * }</pre>
 *
 * <p>The route works in a {@link WebServer}. A request that does not ask for a web socket gets the status 426, and so
 * does every request in another server.
 *
 * @param opener accepts or refuses each socket
 * @param options the limits of each socket
 */
public record WebSocketRoute(WebSocketOpener opener,
        WebSocketOptions options) implements ReplyHandler<HttpCall, HttpAnswer> {
    /**
     * Checks that neither is null.
     *
     * @param opener not null
     * @param options not null
     */
    public WebSocketRoute {
        Objects.requireNonNull(opener, "opener");
        Objects.requireNonNull(options, "options");
    }

    /**
     * Returns a route whose sockets all have the same handler, which runs for many of them at the same time.
     *
     * @param handler handles the messages of the sockets
     * @return the route
     */
    public static WebSocketRoute of(WebSocketHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return opening(call -> handler);
    }

    /**
     * Returns a route whose opener makes a handler for each socket, or refuses the socket. Such a handler can keep the
     * state of its socket in plain fields.
     *
     * @param opener makes the handlers
     * @return the route
     */
    public static WebSocketRoute opening(WebSocketOpener opener) {
        return new WebSocketRoute(opener, WebSocketOptions.standard());
    }

    /**
     * Returns the same route with other limits.
     *
     * @param newOptions the limits
     * @return the new route
     */
    public WebSocketRoute with(WebSocketOptions newOptions) {
        return new WebSocketRoute(opener, newOptions);
    }

    @Override
    public HttpAnswer handle(HttpCall call) throws Exception {
        return Handshake.answer(this, call);
    }
}
