package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import org.jspecify.annotations.Nullable;

/** What a request must be like before a handler sees it. */
record HttpChecks(HttpOptions options) {
    /** Refuses the request, or puts a limit on its content, which is returned if there may be any. */
    @Nullable HttpBodyLimit check(HttpExchange exchange) {
        if (exchange.getRequestURI().toString().length() > options.headerBytes()) {
            throw new HttpProblem(414, "the URI is too long");
        }
        var headers = exchange.getRequestHeaders();
        var count = 0;
        var bytes = 0L;
        for (var header : headers.entrySet()) {
            for (var value : header.getValue()) {
                count++;
                bytes += header.getKey().length() + value.length();
            }
        }
        if (count > options.headerCount() || bytes > options.headerBytes()) {
            throw new HttpProblem(431, "the headers are too long, or too many");
        }
        var protocol = exchange.getProtocol();
        if (protocol.equals("HTTP/1.1") ? !headers.containsKey("Host") : !protocol.startsWith("HTTP/")) {
            throw new HttpProblem(400, "this is no request of HTTP");
        }
        return limitBody(exchange, headers.getFirst("Content-Length"),
                headers.containsKey("Transfer-Encoding"));
    }

    private @Nullable HttpBodyLimit limitBody(HttpExchange exchange, @Nullable String length,
            boolean hasChunks) {
        if (length == null && !hasChunks) {
            return null;
        }
        if (length != null && Long.parseLong(length) > options.bodyBytes()) { // the engine has checked it
            throw new HttpProblem(413, "the content is longer than " + options.bodyBytes() + " bytes");
        }
        var limited = new HttpBodyLimit(exchange.getRequestBody(), options.bodyBytes());
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
