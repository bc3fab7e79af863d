package io.fibry.web.internal;

import io.fibry.internal.net.HttpDesk;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpSecurity;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/** The way of all requests from Helidon to fibry-core, and that of those that become web sockets. */
final class Requests implements HttpRouting {
    private final HttpDesk desk;
    private final HttpSecurity security = HttpSecurity.create();

    Requests(HttpDesk desk) {
        this.desk = desk;
    }

    @Override
    public HttpSecurity security() {
        return security;
    }

    @Override
    public void route(ConnectionContext context, RoutingRequest request, RoutingResponse response) {
        var connection = (WebConnection) context;
        var isHttp2 = request.prologue().protocolVersion().startsWith("2");
        try {
            var responder = isHttp2
                    ? new Http2Responder(response)
                    : new Http1Responder(connection.output(),
                            request.headers().contains(HeaderValues.CONNECTION_CLOSE),
                            Instant.now());
            var exchange = new Exchange(connection, request, responder, isHttp2);
            connection.begins(exchange);
            try {
                if (!exchange.isRefused()) {
                    desk.serve(exchange);
                }
                exchange.finish();
            } finally {
                connection.ends(exchange);
            }
            var handshake = exchange.accepted();
            if (handshake != null) {
                connection.open(handshake);
                throw new CloseConnectionException("the web socket is closed");
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CloseConnectionException("the answer broke off", e);
        } finally {
            if (!isHttp2) {
                connection.idle();
            }
        }
    }
}
