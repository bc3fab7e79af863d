package io.fibry.net;

import io.fibry.function.ReplyHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A handler and the kind of requests that it answers.
 *
 * @param method the method, for example {@code GET}
 * @param path the path; {@code {name}} stands for one part of it, and {@code {name*}}, at its end, for the rest
 * @param handler answers the requests
 * @param groups the groups of routes that this one is in, the outermost first; their filters are around the handler
 */
public record HttpRoute(String method, String path, ReplyHandler<HttpCall, HttpAnswer> handler,
        List<HttpRoutes> groups) {
    /** Stands for every method. */
    public static final String ANY = "*";

    /**
     * Checks method and path.
     *
     * @param method letters, or {@link #ANY}
     * @param path starts with a slash
     * @param handler not null
     * @param groups not null
     */
    public HttpRoute {
        Objects.requireNonNull(handler, "handler");
        groups = List.copyOf(groups);
        if (!method.equals(ANY) && !method.matches("[A-Z][A-Z0-9_-]*")) {
            throw new IllegalArgumentException(
                    "no method of HTTP: '" + method + "'; it is as GET, or " + ANY);
        }
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path starts with a slash, unlike '" + path + "'");
        }
        var rest = path.indexOf("*}");
        if (rest >= 0 && rest != path.length() - 2) {
            throw new IllegalArgumentException("only the last part of a path can be a rest: '" + path + "'");
        }
        for (var part : path.substring(1).split("/", -1)) {
            var isPlain = part.chars().noneMatch(c -> "{}?#".indexOf(c) >= 0);
            if (!isPlain && !part.matches("\\{[A-Za-z0-9_-]+\\*?}")) {
                throw new IllegalArgumentException("'" + part + "' in path '" + path
                        + "' is neither plain text nor as {name} or {name*}");
            }
        }
    }

    /**
     * Makes a route that is in no group.
     *
     * @param method letters, or {@link #ANY}
     * @param path starts with a slash
     * @param handler not null
     */
    public HttpRoute(String method, String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        this(method, path, handler, List.of());
    }

    /** Returns the same route at another path, inside one more group. */
    HttpRoute inside(HttpRoutes group, String newPath) {
        var more = new ArrayList<HttpRoutes>();
        more.add(group);
        more.addAll(groups);
        return new HttpRoute(method, newPath, handler, more);
    }
}
