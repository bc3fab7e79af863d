package io.fibry.web.internal;

import io.fibry.internal.log.Logs;
import io.fibry.internal.net.HeaderList;
import io.fibry.internal.net.HttpContent;
import io.fibry.internal.net.HttpHead;
import io.fibry.internal.net.ServedCall;
import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpProblem;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpSecurity;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Passes all requests of HTTP/2 from Helidon to fibry-core. */
final class Requests implements HttpRouting {
    /** Headers of connections. In HTTP/2 requests share a connection, so neither side may send them. */
    static final Set<String> OF_CONNECTIONS =
            Set.of("connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection");

    private static final Logger LOG = Logs.of("io.fibry.web");
    private static final String HTTP_2 = "HTTP/2";

    private final HttpSecurity security = HttpSecurity.create();

    @Override
    public HttpSecurity security() {
        return security;
    }

    @Override
    public void route(ConnectionContext context, RoutingRequest request, RoutingResponse response) {
        var http2 = (Http2Connection) context;
        var received = http2.request(request.id());
        try {
            answer(http2, request, received,
                    new Http2Responder(response, http2.literalHeaders(), request.id(), received));
        } catch (IOException | RuntimeException e) {
            if (!(e instanceof IOException) && !(e instanceof UncheckedIOException)) {
                LOG.warn("{}: a request failed outside its handler: {}", http2, e.getClass().getName());
                LOG.debug("{}: stream {}", http2, request.id(), e);
            }
            if (!received.isReset) { // Helidon resets the stream; a second reset, or one as an answer to one, is a mistake
                throw new CloseConnectionException("the answer broke off", e);
            }
        }
    }

    private static void answer(Http2Connection http2, RoutingRequest request, Http2Streams.Request received,
            Http2Responder responder) throws IOException {
        var connection = http2.connection();
        var head = head(request);
        var content = received.hasContent ? new HttpContent(received, connection.service()) : null;
        var call = new ServedCall(connection, head, content, responder);
        call.setThread(Thread.currentThread());
        received.begin(call, head.headers().lists("Expect", "100-continue"));
        var isWhole = false;
        try {
            var flaw = received.flaw;
            if (flaw == null && !head.target().startsWith("/") && !head.target().equals("*")) {
                flaw = "the target of the request is not well formed";
            }
            if (flaw == null) {
                connection.service().serve(call);
            } else {
                connection.service().refuse(call, new HttpProblem(400, flaw));
            }
            call.finish();
            isWhole = true;
            skip(content);
        } finally {
            http2.literalHeaders().forget(request.id());
            try {
                received.end(isWhole);
            } finally { // also if the client has gone
                connection.answered(call, isWhole);
            }
        }
    }

    /** Waits for the end of content that nobody reads, since some clients fail if a reset follows the whole answer. */
    private static void skip(@Nullable HttpContent content) {
        try {
            if (content != null) {
                content.discard(Integer.MAX_VALUE);
            }
        } catch (IOException | HttpProblem brokenOff) {
            // nothing depends on it
        }
    }

    /** Makes a head with the headers that the checks expect, which HTTP/2 expresses in another way. */
    private static HttpHead head(RoutingRequest request) {
        var headers = new HeaderList();
        for (var header : request.headers()) {
            header.allValues().forEach(value -> headers.put(header.name(), value));
        }
        var authority = request.authority();
        if (authority != null && !authority.isEmpty() && !headers.all("Host").contains(authority)) {
            headers.put("Host", authority); // a second one if they differ, which is refused
        }
        var length = headers.first("Content-Length");
        var size = length != null && HttpText.isLength(length) ? Long.parseLong(length) : HttpHead.UNKNOWN;
        return new HttpHead(request.prologue().method().text(), target(request), HTTP_2, headers, size);
    }

    private static String target(RoutingRequest request) {
        var prologue = request.prologue();
        var query = prologue.query().rawValue();
        return prologue.uriPath().rawPath() + (query.isEmpty() ? "" : "?" + query)
                + (prologue.fragment().hasValue() ? "#" + prologue.fragment().rawValue() : "");
    }
}
