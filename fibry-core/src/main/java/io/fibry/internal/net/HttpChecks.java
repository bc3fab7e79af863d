package io.fibry.internal.net;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The checks of a request before a handler sees it, in any version of HTTP. */
final class HttpChecks {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");
    private static final int HIGHEST_PORT = 65_535;
    /** A name, an address of IPv4, or one of IPv6 in brackets, and perhaps a port. */
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]{2,}])(?::([0-9]{1,5}))?");

    private HttpChecks() {
    }

    /** Refuses the request with an {@link HttpProblem}. */
    static void check(ServedCall call, HttpOptions options) {
        var head = call.head();
        if (head.target().length() > options.headerBytes()) {
            throw new HttpProblem(414, "the URI is too long");
        }
        var headers = head.headers();
        if (headers.count() > options.headerCount() || headers.bytes() > options.headerBytes()) {
            throw new HttpProblem(431, "the headers are too long, or too many");
        }
        checkMethod(head.method());
        checkTarget(call, checkHost(head));
        if (head.contentLength() > options.bodyBytes()) {
            throw new HttpProblem(413, "the content is longer than " + options.bodyBytes() + " bytes");
        }
    }

    private static void checkMethod(String method) {
        if (method.equals("CONNECT")) { // after an answer with 2xx, clients and proxies would take the connection for a tunnel
            throw new HttpProblem(400, "CONNECT is refused: this server is no proxy");
        }
        if (!METHODS.contains(method)
                && (METHODS.contains(method.toUpperCase(Locale.ROOT))
                        || !HttpText.isToken(method, method.length()))) {
            throw new HttpProblem(400, "there is no such method; methods are written in capitals");
        }
    }

    /** Returns the host that the request names; an empty text for a request of HTTP/1.0 that names none. */
    private static String checkHost(HttpHead head) {
        var host = head.headers().first("Host");
        if (host == null && head.isOld()) {
            return "";
        }
        if (host == null || head.headers().all("Host").size() != 1 || !isHost(host)) {
            throw new HttpProblem(400,
                    "there must be one Host header, which names a host and perhaps its port");
        }
        return host;
    }

    /**
     * Refuses a target that is neither a path (the origin form), nor {@code *} with OPTIONS, nor the absolute form with the
     * host that the Host header names. {@link URI} accepts more: there {@code //x/admin} has the path {@code /admin}.
     */
    private static void checkTarget(ServedCall call, String host) {
        var target = call.head().target();
        if (isPlain(target)) {
            return;
        }
        if (target.equals("*")) {
            if (!call.head().method().equals("OPTIONS")) {
                throw new HttpProblem(400, "only OPTIONS can ask for *");
            }
            return;
        }
        if (target.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new HttpProblem(400, "the target of the request must be ASCII, other characters encoded");
        }
        URI uri;
        try {
            uri = new URI(target);
        } catch (URISyntaxException e) {
            throw new HttpProblem(400, "the target of the request is not well formed", e);
        }
        var path = uri.getRawPath();
        if (uri.getRawFragment() != null || path == null) {
            throw new HttpProblem(400, "the target of the request must be a path");
        }
        if (uri.getScheme() != null) {
            checkAbsolute(uri, host);
        } else if (!target.startsWith("/") || target.startsWith("//")) {
            throw new HttpProblem(400, "the path must start with one slash");
        }
        HttpPaths.check(path);
        call.target(uri);
    }

    /** Returns whether a target is a path that needs no closer look, and perhaps a query. */
    private static boolean isPlain(String target) {
        if (!target.startsWith("/") || target.startsWith("//")) {
            return false;
        }
        var inQuery = false;
        for (var i = 0; i < target.length(); i++) {
            var c = target.charAt(i);
            if (c == '?') {
                inQuery = true;
            } else if ((c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
                    && "/-_~=&+,;:@!$'()*".indexOf(c) < 0 && !(c == '.' && inQuery)) {
                return false;
            }
        }
        return true;
    }

    private static void checkAbsolute(URI uri, String host) {
        var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        var authority = uri.getRawAuthority();
        if ((!scheme.equals("http") && !scheme.equals("https")) || authority == null || !isHost(authority)
                || (!host.isEmpty() && !canonical(authority, scheme).equals(canonical(host, scheme)))) {
            throw new HttpProblem(400,
                    "the target of the request must be a path, or an http URI of the host that"
                            + " its Host header names");
        }
        if (uri.getRawPath().startsWith("//")) {
            throw new HttpProblem(400, "the path must start with one slash");
        }
    }

    private static String canonical(String authority, String scheme) {
        var lower = authority.toLowerCase(Locale.ROOT);
        var standard = scheme.equals("http") ? ":80" : ":443";
        return lower.endsWith(standard) ? lower.substring(0, lower.length() - standard.length()) : lower;
    }

    /** Returns whether this can be the value of a Host header: a name or an address, with or without a port. */
    private static boolean isHost(String value) {
        var found = HOST.matcher(value);
        return found.matches()
                && (found.group(1) == null || Integer.parseInt(found.group(1)) <= HIGHEST_PORT);
    }
}
