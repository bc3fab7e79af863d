package io.fibry.net;

import java.util.ArrayList;
import java.util.List;

/**
 * The routes of a server: they determine which handler answers a request. Plain text in a path takes precedence over
 * {@code {name}}, and {@code {name}} over {@code {name*}}. If only other methods have a route for the path, the answer
 * is 405; if no method has one, it is 404. HEAD is answered as GET without content, and OPTIONS with the list of the
 * methods, unless there are routes for them. Objects of this class are immutable: each call returns other routes.
 *
 * <pre>{@code
 * var routes = HttpRoutes.none()
 *         .get("/users/{id}", call -> HttpAnswer.json(users.find(call.parameter("id"))))
 *         .post("/users", call -> HttpAnswer.empty(201).header("Location", users.add(call.text())))
 *         .events("/clock", (call, events) -> events.send(Instant.now().toString()));
 * }</pre>
 *
 * @param routes the routes
 */
public record HttpRoutes(List<HttpRoute> routes) {
    private static final HttpRoutes NONE = new HttpRoutes(List.of());

    /**
     * Checks that no route stands for the same requests as another one.
     *
     * @param routes the routes
     */
    public HttpRoutes {
        routes = List.copyOf(routes);
        for (int i = 0; i < routes.size(); i++) {
            for (int j = 0; j < i; j++) {
                requireDifferent(routes.get(j), routes.get(i));
            }
        }
    }

    private static void requireDifferent(HttpRoute one, HttpRoute other) {
        if (one.method().equals(other.method()) && shape(one).equals(shape(other))) {
            throw new IllegalArgumentException("there is a route " + one.method() + " " + one.path()
                    + " already, which stands for the same requests as " + other.path());
        }
    }

    private static String shape(HttpRoute route) {
        return route.path().replaceAll("\\{[^}*]+\\*}", "{*}").replaceAll("\\{[^}*]+}", "{}");
    }

    /**
     * Returns routes without any route.
     *
     * @return the routes
     */
    public static HttpRoutes none() {
        return NONE;
    }

    /**
     * Returns these routes and one more.
     *
     * @param method the method, for example {@code GET}, or {@link HttpRoute#ANY}
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     * @throws IllegalArgumentException if there is such a route already
     */
    public HttpRoutes route(String method, String path, HttpCallHandler handler) {
        var more = new ArrayList<>(routes);
        more.add(new HttpRoute(method, path, handler));
        return new HttpRoutes(more);
    }

    /**
     * Returns these routes and one more, for GET.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes get(String path, HttpCallHandler handler) {
        return route("GET", path, handler);
    }

    /**
     * Returns these routes and one more, for POST.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes post(String path, HttpCallHandler handler) {
        return route("POST", path, handler);
    }

    /**
     * Returns these routes and one more, for PUT.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes put(String path, HttpCallHandler handler) {
        return route("PUT", path, handler);
    }

    /**
     * Returns these routes and one more, for DELETE.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes delete(String path, HttpCallHandler handler) {
        return route("DELETE", path, handler);
    }

    /**
     * Returns these routes and one more, for GET, whose handler sends server-sent events.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler sends the events
     * @return the new routes
     */
    public HttpRoutes events(String path, HttpEventsHandler handler) {
        return get(path, call -> HttpAnswer
                .stream("text/event-stream", out -> {
                    out.flush(); // the client knows that it is connected before there is an event
                    handler.handle(call, new HttpEventStream(out));
                })
                .header("Cache-Control", "no-store"));
    }
}
