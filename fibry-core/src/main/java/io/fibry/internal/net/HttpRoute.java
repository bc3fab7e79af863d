package io.fibry.internal.net;

import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpRoutes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A handler and the kind of requests that it answers.
 *
 * @param method the method, or {@link HttpRoutes#ANY}
 * @param path the path, as {@link HttpRoutes#route} describes it
 * @param handler answers the requests
 * @param layers the filters around the handler, the outermost first
 */
public record HttpRoute(String method, String path, HttpCallHandler handler, List<HttpFilters> layers) {
    /** Checks method and path. */
    public HttpRoute {
        Objects.requireNonNull(handler, "handler");
        layers = List.copyOf(layers);
        if (!method.equals(HttpRoutes.ANY) && !method.matches("[A-Z][A-Z0-9_-]*")) {
            throw new IllegalArgumentException(
                    "no method of HTTP: '" + method + "'; it is as GET, or " + HttpRoutes.ANY);
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

    /** Returns the same route at another path, with one more layer around its handler. */
    HttpRoute inside(HttpFilters layer, String newPath) {
        var more = new ArrayList<HttpFilters>();
        if (!layer.isEmpty()) {
            more.add(layer);
        }
        more.addAll(layers);
        return new HttpRoute(method, newPath, handler, more);
    }

    /** Throws if this route stands for the same requests as another one. */
    void requireOtherThan(HttpRoute other) {
        if (method.equals(other.method) && shape().equals(other.shape())) {
            throw new IllegalArgumentException("there is a route " + method + " " + path
                    + " already, which stands for the same requests as " + other.path);
        }
    }

    private String shape() {
        return path.replaceAll("\\{[^}*]+\\*}", "{*}").replaceAll("\\{[^}*]+}", "{}");
    }
}
