package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import io.fibry.internal.log.Logs;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The requests and answers in HTTP/1.1 and HTTP/1.0 over one connection. The reader of Helidon accepts much that a
 * server should not accept, such as signs and prefixes before the length of a chunk, so this package reads requests
 * itself.
 */
final class Http1Conversation {
    private static final Logger LOG = Logs.of("io.fibry.web");
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final WebConnection connection;
    private final WebListener server;
    private final HttpOptions limits;
    private final boolean upgrades;
    private final DataReader in;
    private final Http1Lines lines;

    Http1Conversation(WebConnection connection, WebListener server, HttpOptions limits, boolean upgrades) {
        this.connection = connection;
        this.server = server;
        this.limits = limits;
        this.upgrades = upgrades;
        in = connection.dataReader();
        lines = new Http1Lines(in);
    }

    /**
     * Answers requests until the client or the server ends the connection. Returns the HTTP/2 side if the connection
     * goes on with HTTP/2.
     */
    Optional<ServerConnection> talk() throws IOException {
        var goesOn = true;
        while (goesOn && !connection.isStopping()) {
            try {
                var head = Http1Head.read(lines, limits);
                connection.busy();
                try {
                    var upgraded = upgrade(head);
                    if (upgraded.isPresent()) {
                        return upgraded;
                    }
                    goesOn = answer(head);
                } finally {
                    connection.idle();
                }
            } catch (Http1Head.NotHttpException other) {
                LOG.debug("{}: {}", connection.name(), other.getMessage());
                return Optional.empty();
            } catch (HttpProblem refusal) {
                LOG.debug("{}: {}", connection.name(), refusal.text());
                refuse(refusal);
                goesOn = false;
            }
        }
        connection.linger();
        return Optional.empty();
    }

    /** Answers bytes that are not even a request. Since its end is not known, nothing after it is read. */
    void refuse(HttpProblem refusal) throws IOException {
        server.desk().countRefused();
        var text = (refusal.text() + "\n").getBytes(StandardCharsets.UTF_8);
        var headers = new Headers();
        headers.set("Content-Type", "text/plain; charset=utf-8");
        headers.set("Connection", "close");
        var access = server.accessRecord(connection);
        var isWhole = false;
        try (var out = new Http1Responder(connection.output(), false, true, false, Instant.now())
                .begin(refusal.status(), headers, text.length)) {
            out.write(text);
            isWhole = true;
        } finally {
            if (access != null) {
                access.sent(text.length);
                access.end("", "", "", new Headers(), refusal.status(), isWhole, connection.now());
            }
        }
    }

    /** Answers a request. Returns whether there may be another one. */
    private boolean answer(Http1Head head) throws IOException {
        var responder = new Http1Responder(connection.output(), head.isOld(), head.closes(),
                head.method().equals("HEAD"), Instant.now());
        var exchange = new Exchange(connection, new Incoming(head.protocol(), head.method(), head.target(),
                head.headers(), content(head, responder), null), responder);
        connection.handles(exchange);
        boolean goesOn;
        var isWhole = false;
        try {
            if (exchange.isRefused()) {
                server.desk().countRefused();
            } else {
                server.desk().serve(exchange);
            }
            goesOn = exchange.finish();
            isWhole = true;
        } finally {
            connection.handles(null);
            exchange.record(isWhole);
        }
        var handshake = exchange.accepted();
        if (handshake != null) {
            connection.open(handshake);
            return false;
        }
        return goesOn;
    }

    private @Nullable Supplier<InputStream> content(Http1Head head, Http1Responder responder) {
        var length = head.contentLength();
        return length == 0 ? null : () -> new Http1Content(in, lines, length, limits, () -> {
            if (head.waitsForGo() && !responder.hasBegun()) {
                connection.output().write(GO_ON);
            }
        });
    }

    /** Returns the HTTP/2 side, if the client asks for HTTP/2 and its request can be served there. */
    private Optional<ServerConnection> upgrade(Http1Head head) {
        if (!upgrades || head.isOld() || head.contentLength() != 0 || !head.has("Upgrade", "h2c")
                || !head.has("Connection", "upgrade") || !head.has("Connection", "HTTP2-Settings")
                || head.headers().getOrDefault("HTTP2-Settings", List.of()).size() != 1
                || head.headers().getOrDefault("Host", List.of()).size() != 1
                || !head.target().startsWith("/")
                || !head.method().matches("[A-Z]+")) {
            return Optional.empty();
        }
        return Optional.of(server.engine().upgrade(connection, head));
    }
}
