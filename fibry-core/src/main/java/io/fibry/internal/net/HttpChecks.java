package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The checks of a request before a handler sees it. An engine may accept requests that it should refuse. */
record HttpChecks(HttpOptions options, boolean speaksHttp2) {
    private static final char DELETE = 0x7F;
    private static final int MOST_LENGTH_DIGITS = 18;
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

    /** The headers that concern the request itself, and the size of all headers. */
    private static final class Found {
        @Nullable List<String> hosts;
        @Nullable List<String> lengths;
        @Nullable List<String> encodings;
        int count;
        long bytes;
        @Nullable String flaw;

        void add(String name, List<String> values) {
            count += values.size();
            if (!isToken(name)) {
                flaw = "a header has no proper name";
            }
            for (var value : values) {
                bytes += name.length() + value.length();
                if (hasControl(value)) {
                    flaw = "the headers must be without control characters";
                }
            }
            if (name.equalsIgnoreCase("Host")) {
                hosts = values;
            } else if (name.equalsIgnoreCase("Content-Length")) {
                lengths = values;
            } else if (name.equalsIgnoreCase("Transfer-Encoding")) {
                encodings = values;
            }
        }
    }

    /**
     * Refuses the request with an {@link HttpProblem}, or puts a limit on its content. Returns the content; null if
     * there is none.
     */
    @Nullable HttpBodyLimit check(HttpExchange exchange) throws IOException {
        if (exchange.getRequestURI().toString().length() > options.headerBytes()) {
            throw new HttpProblem(414, "the URI is too long");
        }
        // One pass over all headers: each look-up by name makes the engine's headers normalize that name again.
        var found = new Found();
        for (var header : exchange.getRequestHeaders().entrySet()) {
            found.add(header.getKey(), header.getValue());
        }
        if (found.count > options.headerCount() || found.bytes > options.headerBytes()) {
            throw new HttpProblem(431, "the headers are too long, or too many");
        }
        if (found.flaw != null) {
            throw new HttpProblem(400, found.flaw);
        }
        checkMethod(exchange.getRequestMethod());
        HttpTarget.check(exchange.getRequestMethod(), exchange.getRequestURI(),
                host(exchange.getProtocol(), found));
        return limitBody(exchange, length(exchange.getProtocol(), found), found.encodings != null);
    }

    private static boolean hasControl(String value) {
        for (var i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == DELETE) {
                return true;
            }
        }
        return false;
    }

    private static void checkMethod(String method) {
        if (!isToken(method)
                || (!METHODS.contains(method) && METHODS.contains(method.toUpperCase(Locale.ROOT)))) {
            throw new HttpProblem(400, "there is no such method; methods are written in capitals");
        }
    }

    private static boolean isToken(String word) {
        for (var i = 0; i < word.length(); i++) {
            if (!isOfToken(word.charAt(i))) {
                return false;
            }
        }
        return !word.isEmpty();
    }

    /** RFC 9110, 5.6.2. */
    private static boolean isOfToken(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    /** Returns the host that the request names; null for a request of HTTP/1.0 that names none. */
    private @Nullable String host(String protocol, Found found) {
        var needed = switch (protocol) {
            case "HTTP/1.1" -> true;
            case "HTTP/1.0" -> false;
            case "HTTP/2", "HTTP/2.0" -> {
                if (!speaksHttp2) {
                    throw new HttpProblem(400, "HTTP/1.1 and HTTP/1.0 are spoken here");
                }
                yield true;
            }
            default -> throw new HttpProblem(400, "this is no request of HTTP/1.1 or HTTP/1.0");
        };
        var hosts = found.hosts;
        if (hosts == null && !needed) {
            return null;
        }
        if (hosts == null || hosts.size() != 1 || !HttpTarget.isHost(hosts.getFirst())) {
            throw new HttpProblem(400,
                    "there must be one Host header, which names a host and perhaps its port");
        }
        return hosts.getFirst();
    }

    /**
     * Returns the length of the content; -1 if the headers do not give it. Refuses a request if the end of its
     * content is ambiguous.
     */
    private static long length(String protocol, Found found) {
        var lengths = found.lengths;
        var encodings = found.encodings;
        if (encodings != null && (lengths != null || protocol.equals("HTTP/1.0") || encodings.size() != 1
                || !encodings.getFirst().equalsIgnoreCase("chunked"))) {
            throw new HttpProblem(400, "the length of the content is not clear");
        }
        if (lengths == null) {
            return -1;
        }
        if (lengths.size() != 1 || !isLength(lengths.getFirst())) {
            throw new HttpProblem(400, "the length of the content is not clear");
        }
        return Long.parseLong(lengths.getFirst());
    }

    private static boolean isLength(String value) {
        for (var i = 0; i < value.length(); i++) {
            if (value.charAt(i) < '0' || value.charAt(i) > '9') {
                return false;
            }
        }
        return !value.isEmpty() && value.length() <= MOST_LENGTH_DIGITS;
    }

    private @Nullable HttpBodyLimit limitBody(HttpExchange exchange, long length, boolean hasChunks)
            throws IOException {
        var body = exchange.getRequestBody();
        if (length < 0 && !hasChunks) {
            if (exchange.getProtocol().startsWith("HTTP/1.")) {
                body.read(); // there is no content; without this read the JDK's engine would allocate a buffer to find that out
            }
            return null;
        }
        if (length > options.bodyBytes()) {
            throw new HttpProblem(413, "the content is longer than " + options.bodyBytes() + " bytes");
        }
        var limited = new HttpBodyLimit(body, options.bodyBytes());
        exchange.setStreams(limited, null);
        return limited;
    }

    /** Returns whether content that is too long has caused a failure, however the exception was wrapped. */
    static boolean isTooLong(Throwable failure) {
        return comesFrom(HttpBodyLimit.TooLong.class, failure);
    }

    /** Returns whether content that took too long has caused a failure. */
    static boolean isTooSlow(Throwable failure) {
        return comesFrom(HttpBodyLimit.TooSlow.class, failure);
    }

    private static boolean comesFrom(Class<? extends IOException> kind, Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
