package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
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

/** Passes all requests of HTTP/2 from Helidon to fibry-core. */
final class Requests implements HttpRouting {
    /** Headers of connections. In HTTP/2 requests share a connection, so neither side may send them. */
    static final Set<String> OF_CONNECTIONS =
            Set.of("connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection");

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
            var exchange = new Exchange(connection, incoming(request), new Http2Responder(response,
                    connection.literalHeaders(), request.id()));
            connection.begins(exchange);
            var isWhole = false;
            try {
                if (!exchange.isRefused()) {
                    desk.serve(exchange);
                }
                exchange.finish();
                isWhole = true;
            } finally {
                connection.ends(exchange);
                exchange.record(isWhole);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CloseConnectionException("the answer broke off", e);
        }
    }

    /** Makes a request with the headers that the checks expect, which HTTP/2 expresses in another way or not at all. */
    private static Incoming incoming(RoutingRequest request) {
        var headers = new Headers();
        for (var header : request.headers()) {
            header.allValues().forEach(value -> headers.add(header.name(), value));
        }
        var isProper = OF_CONNECTIONS.stream().noneMatch(headers::containsKey);
        var content = request.content();
        var authority = request.authority();
        if (authority != null && !authority.isEmpty()
                && !headers.getOrDefault("Host", List.of()).contains(authority)) {
            headers.add("Host", authority); // a second one if they differ, which is refused
        }
        if (content.hasEntity() && !headers.containsKey("Content-Length")) {
            headers.set("Transfer-Encoding", "chunked");
        }
        return new Incoming(Incoming.HTTP_2, request.prologue().method().text(),
                isProper ? target(request) : "", headers,
                content.hasEntity() ? content::inputStream : null);
    }

    private static String target(RoutingRequest request) {
        var prologue = request.prologue();
        var query = prologue.query().rawValue();
        return prologue.uriPath().rawPath() + (query.isEmpty() ? "" : "?" + query)
                + (prologue.fragment().hasValue() ? "#" + prologue.fragment().rawValue() : "");
    }
}
