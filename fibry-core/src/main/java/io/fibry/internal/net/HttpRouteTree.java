package io.fibry.internal.net;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoute;
import io.fibry.net.HttpRoutes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request: a tree over the parts of paths. */
final class HttpRouteTree {
    private static final ReplyHandler<HttpCall, HttpAnswer> NOT_FOUND = call -> {
        throw new HttpProblem(404, "there is nothing here");
    };

    private final Node root = new Node();
    private final List<HttpRoutes> all;
    private final ReplyHandler<HttpCall, HttpAnswer> notFound;
    private final ReplyHandler<HttpCall, HttpAnswer> options;

    /** A place in the tree: what may follow, and the routes that end here, by method. */
    private static final class Node {
        final Map<String, Node> plain = new HashMap<>();
        final Map<String, Leaf> here = new LinkedHashMap<>();
        final Map<String, Leaf> withRest = new LinkedHashMap<>();
        @Nullable Node anyPart;
    }

    /** A route, and its handler with the filters around it. */
    private record Leaf(HttpRoute route, ReplyHandler<HttpCall, HttpAnswer> handler) {
    }

    /** Routes that fit a path, by method, and what stands for the {@code {name}}s in it, in order. */
    private record Fit(Map<String, Leaf> leaves, List<String> values) {
    }

    /** What answers a request. */
    record Found(ReplyHandler<HttpCall, HttpAnswer> handler, Map<String, String> parameters) {
    }

    HttpRouteTree(HttpRoutes routes) {
        all = List.of(Objects.requireNonNull(routes, "routes"));
        routes.routes().forEach(this::add);
        var allMethods = allow(routes.routes().stream().map(HttpRoute::method).toList());
        options = HttpChain.of(call -> HttpAnswer.empty(204).header("Allow", allMethods), all);
        notFound = HttpChain.of(NOT_FOUND, all);
    }

    private ReplyHandler<HttpCall, HttpAnswer> filtered(ReplyHandler<HttpCall, HttpAnswer> handler,
            HttpRoute route) {
        return HttpChain.of(HttpChain.of(handler, route.groups()), all);
    }

    private void add(HttpRoute route) {
        var node = root;
        var leaf = new Leaf(route, filtered(route.handler(), route));
        for (var part : HttpPaths.split(route.path())) {
            if (part.endsWith("*}")) {
                node.withRest.put(route.method(), leaf);
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
        node.here.put(route.method(), leaf);
    }

    /** Answers a request by the handler of its route. */
    HttpAnswer answer(ServedCall call) throws Exception {
        var found = find(call.method(), call.path());
        call.parameters(found.parameters());
        return found.handler().handle(call);
    }

    Found find(String method, @Nullable String rawPath) {
        if (rawPath == null || rawPath.equals("*")) {
            return new Found(options, Map.of());
        }
        var fits = new ArrayList<Fit>();
        collect(root, HttpPaths.decode(rawPath), 0, List.of(), fits);
        for (var wanted : method.equals("HEAD")
                ? List.of("HEAD", "GET", HttpRoute.ANY)
                : List.of(method, HttpRoute.ANY)) {
            for (var fit : fits) {
                var leaf = fit.leaves.get(wanted);
                if (leaf != null) {
                    return new Found(leaf.handler, HttpPaths.named(leaf.route.path(), fit.values));
                }
            }
        }
        return new Found(fits.isEmpty() ? notFound : otherMethods(method, fits), Map.of());
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

    /** Tells which methods there are. The filters of the route that fits best, and was added first, are around that. */
    private ReplyHandler<HttpCall, HttpAnswer> otherMethods(String method, List<Fit> fits) {
        var allow = allow(fits.stream().flatMap(fit -> fit.leaves.keySet().stream()).toList());
        var best = fits.getFirst().leaves.values().iterator().next().route;
        return method.equals("OPTIONS")
                ? filtered(call -> HttpAnswer.empty(204).header("Allow", allow), best)
                : withAllow(filtered(call -> {
                    throw new HttpProblem(405, "this can be done here: " + allow);
                }, best), allow);
    }

    /** Returns a handler whose status 405 says which methods there are, whoever has made the answer. */
    private static ReplyHandler<HttpCall, HttpAnswer> withAllow(ReplyHandler<HttpCall, HttpAnswer> refusing,
            String allow) {
        return call -> {
            HttpAnswer answer;
            try {
                answer = refusing.handle(call);
            } catch (HttpProblem problem) {
                if (problem.status() != 405) {
                    throw problem;
                }
                answer = problem.answer();
            }
            return answer.status() == 405 && answer.header("Allow").isEmpty() ? answer.header("Allow", allow)
                    : answer;
        };
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
