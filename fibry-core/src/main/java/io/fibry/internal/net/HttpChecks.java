package io.fibry.internal.net;

import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;

/** The checks of a request before a handler sees it, in any version of HTTP. */
final class HttpChecks {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

    private HttpChecks() {
    }

    /** Refuses the request with an {@link HttpProblem}. */
    static void check(ServedExchange exchange, HttpOptions options) {
        var head = exchange.head();
        if (head.target().length() > options.headerBytes()) {
            throw new HttpProblem(414, "the URI is too long");
        }
        var headers = head.headers();
        if (headers.count() > options.headerCount() || headers.bytes() > options.headerBytes()) {
            throw new HttpProblem(431, "the headers are too long, or too many");
        }
        checkMethod(head.method());
        HttpTarget.check(exchange, checkHost(head));
        if (head.contentLength() > options.bodyBytes()) {
            throw new HttpProblem(413, "the content is longer than " + options.bodyBytes() + " bytes");
        }
    }

    private static void checkMethod(String method) {
        if (!METHODS.contains(method)
                && (METHODS.contains(method.toUpperCase(Locale.ROOT))
                        || !HttpHead.isToken(method, method.length()))) {
            throw new HttpProblem(400, "there is no such method; methods are written in capitals");
        }
    }

    /** Returns the host that the request names; an empty text for a request of HTTP/1.0 that names none. */
    private static String checkHost(HttpHead head) {
        var host = head.headers().getFirst("Host");
        if (host == null && head.isOld()) {
            return "";
        }
        if (host == null || head.headers().get("Host").size() != 1 || !HttpTarget.isHost(host)) {
            throw new HttpProblem(400,
                    "there must be one Host header, which names a host and perhaps its port");
        }
        return host;
    }

    /** Returns whether content that is too long has caused a failure, however the exception was wrapped. */
    static boolean isTooLong(Throwable failure) {
        return comesFrom(HttpContent.TooLong.class, failure);
    }

    /** Returns whether content that took too long has caused a failure. */
    static boolean isTooSlow(Throwable failure) {
        return comesFrom(HttpContent.TooSlow.class, failure);
    }

    /** Returns whether an exception of a class has caused a failure. Programs may wrap it in exceptions of their own. */
    static boolean comesFrom(Class<? extends IOException> kind, Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
