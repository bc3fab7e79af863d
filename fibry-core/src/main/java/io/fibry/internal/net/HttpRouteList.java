package io.fibry.internal.net;

import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpFailureHandler;
import io.fibry.net.HttpFilter;
import io.fibry.net.HttpRoutes;
import java.util.ArrayList;
import java.util.List;

/**
 * The routes of a server, and the filters of all these routes.
 *
 * @param routes the routes, of which no two stand for the same requests
 * @param filters the filters
 */
public record HttpRouteList(List<HttpRoute> routes, HttpFilters filters) implements HttpRoutes {
    private static final HttpRoutes NONE = new HttpRouteList(List.of(), HttpFilters.NONE);

    /** Checks that no route stands for the same requests as another one. */
    public HttpRouteList {
        routes = List.copyOf(routes);
        for (int i = 0; i < routes.size(); i++) {
            for (int j = 0; j < i; j++) {
                routes.get(j).requireOtherThan(routes.get(i));
            }
        }
    }

    /** Returns the routes as a list. */
    public static HttpRouteList of(HttpRoutes routes) {
        return (HttpRouteList) routes;
    }

    /** Returns no routes. */
    public static HttpRoutes none() {
        return NONE;
    }

    @Override
    public HttpRoutes route(String method, String path, HttpCallHandler handler) {
        var more = new ArrayList<>(routes);
        more.add(new HttpRoute(method, path, handler, List.of()));
        return new HttpRouteList(more, filters);
    }

    @Override
    public HttpRoutes under(String prefix, HttpRoutes others) {
        if (!prefix.startsWith("/") || prefix.endsWith("/")) {
            throw new IllegalArgumentException(
                    "a prefix starts with a slash and does not end with one, unlike '" + prefix
                            + "'; and() adds routes without a prefix");
        }
        return adding(prefix, of(others));
    }

    @Override
    public HttpRoutes and(HttpRoutes others) {
        return adding("", of(others));
    }

    private HttpRoutes adding(String prefix, HttpRouteList others) {
        var more = new ArrayList<>(routes);
        for (var route : others.routes) {
            var path = prefix.isEmpty() || !route.path().equals("/") ? prefix + route.path() : prefix;
            more.add(route.inside(others.filters, path));
        }
        return new HttpRouteList(more, filters);
    }

    @Override
    public HttpRoutes around(HttpFilter filter) {
        return new HttpRouteList(routes, filters.around(filter));
    }

    @Override
    public <T extends Throwable> HttpRoutes failing(Class<T> type, HttpFailureHandler<? super T> handler) {
        return new HttpRouteList(routes, filters.failing(type, handler));
    }
}
