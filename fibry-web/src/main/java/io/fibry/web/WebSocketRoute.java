package io.fibry.web;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.web.internal.Handshake;
import java.util.Objects;

/**
 * A route for GET where web sockets are opened. Immutable.
 *
 * <pre>{@code
 * HttpRoutes.none().get("/chat/{room}", WebSocketRoute.of(new Chat()).with(WebSocketOptions.standard()))
 * }</pre>
 *
 * <p>It works in a {@link WebServer}; requests that do not want a web socket, and those in other servers, get a
 * status 426.
 *
 * @param opener takes or refuses each socket
 * @param options limits of each socket
 */
public record WebSocketRoute(WebSocketOpener opener, WebSocketOptions options) implements HttpCallHandler {
    /**
     * Checks that both are there.
     *
     * @param opener not null
     * @param options not null
     */
    public WebSocketRoute {
        Objects.requireNonNull(opener, "opener");
        Objects.requireNonNull(options, "options");
    }

    /**
     * All sockets have one handler, which runs for many of them at the same time.
     *
     * @param handler what their messages are for
     * @return the route
     */
    public static WebSocketRoute of(WebSocketHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return opening(call -> handler);
    }

    /**
     * Each socket gets a handler of its own, which can keep the socket's state in plain fields, or is refused.
     *
     * @param opener makes the handlers
     * @return the route
     */
    public static WebSocketRoute opening(WebSocketOpener opener) {
        return new WebSocketRoute(opener, WebSocketOptions.standard());
    }

    /**
     * The same with other limits.
     *
     * @param newOptions the limits
     * @return the route
     */
    public WebSocketRoute with(WebSocketOptions newOptions) {
        return new WebSocketRoute(opener, newOptions);
    }

    @Override
    public HttpAnswer handle(HttpCall call) throws Exception {
        return Handshake.answer(this, call);
    }
}
