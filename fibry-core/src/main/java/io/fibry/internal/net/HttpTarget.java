package io.fibry.internal.net;

import io.fibry.net.HttpProblem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The check of a request's target. It must be a path (the origin form), {@code *} with OPTIONS, or the absolute form
 * with the host that the Host header names. {@link URI} accepts more: there {@code //x/admin} has the path {@code
 * /admin}.
 */
final class HttpTarget {
    private static final int HIGHEST_PORT = 65_535;
    /** A name, an address of IPv4, or one of IPv6 in brackets, and perhaps a port. */
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]{2,}])(?::([0-9]{1,5}))?");

    private HttpTarget() {
    }

    /** Refuses a target that is none of these. The host is the value of the Host header, or empty if there is none. */
    static void check(ServedExchange exchange, String host) {
        var target = exchange.head().target();
        if (isPlain(target)) {
            return;
        }
        if (target.equals("*")) {
            if (!exchange.head().method().equals("OPTIONS")) {
                throw new HttpProblem(400, "only OPTIONS can ask for *");
            }
            return;
        }
        for (var i = 0; i < target.length(); i++) {
            if (target.charAt(i) <= ' ' || target.charAt(i) > '~') {
                throw new HttpProblem(400,
                        "the target of the request must be ASCII, other characters encoded");
            }
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
        exchange.target(uri);
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
    static boolean isHost(String value) {
        var found = HOST.matcher(value);
        return found.matches() && (found.group(1) == null || Integer.parseInt(found.group(1)) <= HIGHEST_PORT);
    }
}
