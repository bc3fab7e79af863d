package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a request must be like before a handler sees it. */
record HttpChecks(HttpOptions options) {
    /** Refuses the request, or puts a limit on its content, which is returned if there may be any. */
    @Nullable HttpBodyLimit check(HttpExchange exchange) throws IOException {
        if (exchange.getRequestURI().toString().length() > options.headerBytes()) {
            throw new HttpProblem(414, "the URI is too long");
        }
        // All in one walk: each look-up by name makes the engine's headers write that name anew.
        var count = 0;
        var bytes = 0L;
        var hasHost = false;
        var hasChunks = false;
        String length = null;
        for (var header : exchange.getRequestHeaders().entrySet()) {
            var name = header.getKey();
            for (var value : header.getValue()) {
                count++;
                bytes += name.length() + value.length();
            }
            if (name.equalsIgnoreCase("Host")) {
                hasHost = true;
            } else if (name.equalsIgnoreCase("Content-Length")) {
                length = header.getValue().getFirst();
            } else if (name.equalsIgnoreCase("Transfer-Encoding")) {
                hasChunks = true;
            }
        }
        if (count > options.headerCount() || bytes > options.headerBytes()) {
            throw new HttpProblem(431, "the headers are too long, or too many");
        }
        var protocol = exchange.getProtocol();
        if (protocol.equals("HTTP/1.1") ? !hasHost : !protocol.startsWith("HTTP/")) {
            throw new HttpProblem(400, "this is no request of HTTP");
        }
        return limitBody(exchange, length, hasChunks);
    }

    private @Nullable HttpBodyLimit limitBody(HttpExchange exchange, @Nullable String length,
            boolean hasChunks) throws IOException {
        var body = exchange.getRequestBody();
        if (length == null && !hasChunks) {
            if (exchange.getProtocol().startsWith("HTTP/1.")) {
                body.read(); // there is none; were the end not seen here, the JDK's engine would make a buffer to see it
            }
            return null;
        }
        if (length != null && Long.parseLong(length) > options.bodyBytes()) { // the engine has checked it
            throw new HttpProblem(413, "the content is longer than " + options.bodyBytes() + " bytes");
        }
        var limited = new HttpBodyLimit(body, options.bodyBytes());
        exchange.setStreams(limited, null);
        return limited;
    }

    /** Whether a failure comes from content that is too long, whoever has wrapped it since. */
    static boolean isTooLong(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpBodyLimit.TooLong) {
                return true;
            }
        }
        return false;
    }
}
