package io.fibry.internal.net;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpRoute;
import io.fibry.net.HttpRoutes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request: a tree over the parts of paths. */
final class HttpRouteTree {
    private static final HttpCallHandler NOT_FOUND =
            call -> HttpAnswer.text("there is nothing here\n").status(404);

    private final Node root = new Node();
    private final String allMethods;

    /** A place in the tree: what may follow, and the routes that end here, by method. */
    private static final class Node {
        final Map<String, Node> plain = new HashMap<>();
        final Map<String, HttpRoute> here = new HashMap<>();
        final Map<String, HttpRoute> withRest = new HashMap<>();
        @Nullable Node anyPart;
    }

    /** Routes that fit a path, by method, and what stands for the {@code {name}}s in it, in order. */
    private record Fit(Map<String, HttpRoute> routes, List<String> values) {
    }

    /** What answers a request. */
    record Found(HttpCallHandler handler, Map<String, String> parameters) {
    }

    HttpRouteTree(HttpRoutes routes) {
        routes.routes().forEach(this::add);
        allMethods = allow(routes.routes().stream().map(HttpRoute::method).toList());
    }

    private void add(HttpRoute route) {
        var node = root;
        for (var part : HttpPaths.split(route.path())) {
            if (part.endsWith("*}")) {
                node.withRest.put(route.method(), route);
                return;
            }
            if (part.startsWith("{")) {
                if (node.anyPart == null) {
                    node.anyPart = new Node();
                }
                node = node.anyPart;
            } else {
                node = node.plain.computeIfAbsent(part, p -> new Node());
            }
        }
        node.here.put(route.method(), route);
    }

    Found find(String method, @Nullable String rawPath) {
        if (rawPath == null || rawPath.equals("*")) {
            return new Found(call -> HttpAnswer.empty(204).header("Allow", allMethods), Map.of());
        }
        var fits = new ArrayList<Fit>();
        collect(root, HttpPaths.decode(rawPath), 0, List.of(), fits);
        for (var wanted : method.equals("HEAD")
                ? List.of("HEAD", "GET", HttpRoute.ANY)
                : List.of(method, HttpRoute.ANY)) {
            for (var fit : fits) {
                var route = fit.routes.get(wanted);
                if (route != null) {
                    return new Found(route.handler(), HttpPaths.named(route.path(), fit.values));
                }
            }
        }
        return new Found(fits.isEmpty() ? NOT_FOUND : otherMethods(method, fits), Map.of());
    }

    private static void collect(Node node, List<String> parts, int at, List<String> values, List<Fit> fits) {
        if (at == parts.size()) {
            if (!node.here.isEmpty()) {
                fits.add(new Fit(node.here, values));
            }
            return;
        }
        var part = parts.get(at);
        var plain = node.plain.get(part);
        if (plain != null) {
            collect(plain, parts, at + 1, values, fits);
        }
        if (node.anyPart != null && !part.isEmpty()) {
            collect(node.anyPart, parts, at + 1, and(values, part), fits);
        }
        if (!node.withRest.isEmpty()) {
            fits.add(new Fit(node.withRest, and(values, String.join("/", parts.subList(at, parts.size())))));
        }
    }

    private static List<String> and(List<String> values, String value) {
        var more = new ArrayList<>(values);
        more.add(value);
        return more;
    }

    private static HttpCallHandler otherMethods(String method, List<Fit> fits) {
        var allow = allow(fits.stream().flatMap(fit -> fit.routes.keySet().stream()).toList());
        return call -> (method.equals("OPTIONS")
                ? HttpAnswer.empty(204)
                : HttpAnswer.text("this can be done here: " + allow + "\n").status(405))
                .header("Allow", allow);
    }

    private static String allow(List<String> known) {
        var methods = new TreeSet<>(List.of("OPTIONS"));
        methods.addAll(known);
        methods.remove(HttpRoute.ANY);
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        return String.join(", ", methods);
    }
}
