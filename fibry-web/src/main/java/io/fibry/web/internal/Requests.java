package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HttpDesk;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpSecurity;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/** Passes all requests of HTTP/2 from Helidon to fibry-core. */
final class Requests implements HttpRouting {
    /** Headers of connections. In HTTP/2 requests share a connection, so neither side may send them. */
    static final Set<String> OF_CONNECTIONS =
            Set.of("connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection");

    private static final Logger LOG = Logs.of("io.fibry.web");

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
        try {
            var exchange =
                    new Exchange(connection, incoming(connection, request), new Http2Responder(response,
                            connection.literalHeaders(), request.id()));
            connection.begins(request.id(), exchange);
            try {
                answer(exchange);
                exchange.skipContent();
            } finally {
                connection.ends(request.id());
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CloseConnectionException("the answer broke off", e);
        } catch (RuntimeException e) {
            // Otherwise Helidon would neither answer the request nor reset its stream.
            LOG.warn("{}: a request failed outside its handler: {}", connection.name(),
                    e.getClass().getName());
            LOG.debug("{}: stream {}", connection.name(), request.id(), e);
            throw new CloseConnectionException("the answer broke off", e);
        }
    }

    private void answer(Exchange exchange) throws IOException {
        var isWhole = false;
        try {
            if (exchange.isRefused()) {
                desk.countRefused();
            } else {
                desk.serve(exchange);
            }
            exchange.finish();
            isWhole = true;
        } finally {
            exchange.record(isWhole);
        }
    }

    /** Makes a request with the headers that the checks expect, which HTTP/2 expresses in another way or not at all. */
    private static Incoming incoming(WebConnection connection, RoutingRequest request) {
        var headers = new Headers();
        for (var header : request.headers()) {
            header.allValues().forEach(value -> headers.add(header.name(), value));
        }
        var content = request.content();
        var authority = request.authority();
        if (authority != null && !authority.isEmpty()
                && !headers.getOrDefault("Host", List.of()).contains(authority)) {
            headers.add("Host", authority); // a second one if they differ, which is refused
        }
        var length = headers.getFirst("Content-Length");
        if (content.hasEntity() && length == null) {
            headers.set("Transfer-Encoding", "chunked");
        }
        var announced = length == null ? 0 : Long.parseLong(length);
        return new Incoming(Incoming.HTTP_2, request.prologue().method().text(), target(request), headers,
                content.hasEntity()
                        ? () -> new Http2Content(content.inputStream(), announced,
                                () -> connection.flaw(request.id()))
                        : null,
                connection.flaw(request.id()).orElse(null));
    }

    private static String target(RoutingRequest request) {
        var prologue = request.prologue();
        var query = prologue.query().rawValue();
        return prologue.uriPath().rawPath() + (query.isEmpty() ? "" : "?" + query)
                + (prologue.fragment().hasValue() ? "#" + prologue.fragment().rawValue() : "");
    }
}
