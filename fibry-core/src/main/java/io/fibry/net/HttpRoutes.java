package io.fibry.net;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The routes of a server: they determine which handler answers a request. Plain text in a path takes precedence over
 * {@code {name}}, and {@code {name}} over {@code {name*}}. Paths are compared part by part: a slash at the end begins a
 * last part that is empty, so {@code /users/} is not {@code /users}. If only other methods have a route for the path, that is
 * an {@link HttpProblem} with the status 405; if no method has one, it has the status 404. HEAD is answered as GET without
 * content, and OPTIONS with the list of the methods, unless there are routes for them. Objects of this class are immutable:
 * each call returns other routes.
 *
 * <pre>{@code
 * var routes = HttpRoutes.none()
 *         .get("/users/{id}", call -> HttpAnswer.json(users.find(call.parameter("id"))))
 *         .post("/users", call -> HttpAnswer.empty(201).header("Location", users.add(call.text())))
 *         .get("/clock", call -> HttpAnswer.events(events -> events.send(Instant.now().toString())));
 * }</pre>
 *
 * <p>Filters ({@link #before}, {@link #after}, {@link #around}) and handlers of failures ({@link #failing}) are for all
 * routes beside which they are added, in whatever order that is done. The filter that was added first is the
 * outermost. The filters of the routes that a server gets see all requests, those without a route included, but none that
 * the server itself refuses: as malformed, too long or too many, or in a stop. The filters of routes that are added to
 * others by {@link #under} or {@link #and} are for these routes alone: they are inside the filters of the others.
 *
 * @param routes the routes
 * @param filters the filters of all these routes, the outermost first
 * @param failures what answers failures, by their classes
 */
public record HttpRoutes(List<HttpRoute> routes, List<HttpFilter> filters,
        Map<Class<? extends Throwable>, BiFunction<HttpCall, Throwable, HttpAnswer>> failures) {
    private static final Pattern NAME = Pattern.compile("\\{[^}*]+");
    private static final HttpRoutes NONE = new HttpRoutes(List.of(), List.of(), Map.of());

    /**
     * Checks that no route stands for the same requests as another one.
     *
     * @param routes the routes
     * @param filters the filters
     * @param failures what answers failures
     */
    public HttpRoutes {
        routes = List.copyOf(routes);
        filters = List.copyOf(filters);
        failures = Map.copyOf(failures);
        var known = new HashMap<String, HttpRoute>();
        for (var route : routes) {
            var former = known.put(route.method() + NAME.matcher(route.path()).replaceAll("{"), route);
            if (former != null) {
                throw new IllegalArgumentException("there is a route " + former.method() + " " + former.path()
                        + " already, which stands for the same requests as " + route.path());
            }
        }
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
    public HttpRoutes route(String method, String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        var more = new ArrayList<>(routes);
        more.add(new HttpRoute(method, path, handler));
        return new HttpRoutes(more, filters, failures);
    }

    /**
     * Returns these routes and one more, for GET.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes get(String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        return route("GET", path, handler);
    }

    /**
     * Returns these routes and one more, for POST.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes post(String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        return route("POST", path, handler);
    }

    /**
     * Returns these routes and one more, for PUT.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes put(String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        return route("PUT", path, handler);
    }

    /**
     * Returns these routes and one more, for DELETE.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes delete(String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        return route("DELETE", path, handler);
    }

    /**
     * Returns these routes and one more, for PATCH.
     *
     * @param path the path; see {@link HttpRoute}
     * @param handler answers the requests
     * @return the new routes
     */
    public HttpRoutes patch(String path, ReplyHandler<HttpCall, HttpAnswer> handler) {
        return route("PATCH", path, handler);
    }

    /**
     * Returns these routes and others, whose paths begin with a prefix. The filters of the others stay with the others.
     *
     * @param prefix the prefix, for example {@code /api} or {@code /shops/{shop}}
     * @param others the other routes; under {@code /cart} the path {@code /} stands for {@code /cart}, and not for {@code
     *     /cart/}
     * @return the new routes
     * @throws IllegalArgumentException if there is such a route already, or if the prefix is not well formed
     */
    public HttpRoutes under(String prefix, HttpRoutes others) {
        if (!prefix.startsWith("/") || prefix.endsWith("/")) {
            throw new IllegalArgumentException(
                    "a prefix starts with a slash and does not end with one, unlike '" + prefix
                            + "'; and() adds routes without a prefix");
        }
        return adding(prefix, others);
    }

    /**
     * Returns these routes and others. The filters of the others stay with the others.
     *
     * @param others the other routes
     * @return the new routes
     * @throws IllegalArgumentException if there is such a route already
     */
    public HttpRoutes and(HttpRoutes others) {
        return adding("", others);
    }

    private HttpRoutes adding(String prefix, HttpRoutes others) {
        var more = new ArrayList<>(routes);
        for (var route : others.routes) {
            var path = prefix.isEmpty() || !route.path().equals("/") ? prefix + route.path() : prefix;
            more.add(route.inside(others, path));
        }
        return new HttpRoutes(more, filters, failures);
    }

    /**
     * Returns the same routes with code that runs before their handlers, and that may refuse a request by an {@link
     * HttpProblem}.
     *
     * @param before the code
     * @return the new routes
     */
    public HttpRoutes before(Handler<HttpCall> before) {
        Objects.requireNonNull(before, "before");
        return around((call, next) -> {
            before.handle(call);
            return next.handle(call);
        });
    }

    /**
     * Returns the same routes with code that gets the answers of their handlers before they are sent. The code sees the
     * answers to failures as well, but not the status 500 of a failure for which there is no {@link #failing handler}. Code
     * that needs the request, too, is a {@linkplain #around filter}.
     *
     * @param after the code, which returns the answer or another one
     * @return the new routes
     */
    public HttpRoutes after(UnaryOperator<HttpAnswer> after) {
        Objects.requireNonNull(after, "after");
        return around((call, next) -> after.apply(next.handle(call)));
    }

    /**
     * Returns the same routes with a filter around their handlers.
     *
     * @param filter the filter, which is inside those that are there
     * @return the new routes
     */
    public HttpRoutes around(HttpFilter filter) {
        var more = new ArrayList<>(filters);
        more.add(Objects.requireNonNull(filter, "filter"));
        return new HttpRoutes(routes, more, failures);
    }

    /**
     * Returns the same routes with an answer to failures of a class. If handlers and filters throw such an exception, or
     * one of a class below it that has no handler of its own, this answer takes the place of the status 500, or of the
     * status of an {@link HttpProblem}. The failure is not logged. A request without a route is such a problem as well:
     * its 404 is for the handlers of the routes that a server gets, and its 405 also for those around the route that
     * fits best but for its method. An answer that keeps the status 405 gets the header {@code Allow}.
     *
     * <p>There are failures that no handler sees, since the server treats them itself: content that is too long or that
     * does not come, and interrupts.
     *
     * @param <T> the class of the failures
     * @param type the class of the failures
     * @param handler answers a request, given what its handler or a filter has thrown; it is called for many requests at the
     *     same time, and what it throws passes to the filters outside
     * @return the new routes
     * @throws IllegalArgumentException if these routes have a handler of this class already
     */
    public <T extends Throwable> HttpRoutes failing(Class<T> type,
            BiFunction<HttpCall, ? super T, HttpAnswer> handler) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(handler, "handler");
        if (failures.containsKey(type)) {
            throw new IllegalArgumentException("there is a handler of " + type.getName()
                    + " already; routes have one for each class, and a group of routes may have its own");
        }
        var more = new HashMap<>(failures);
        more.put(type, (call, failure) -> handler.apply(call, type.cast(failure)));
        return new HttpRoutes(routes, filters, more);
    }

    /**
     * Returns a handler that lets an actor answer, one request at a time. If the mailbox of the actor does not accept a
     * request, the client gets the status 503. If the answer is late, the client gets the status 504.
     *
     * @param actor the actor
     * @param deadline how long an answer may take, including the time in the mailbox
     * @return the handler
     */
    public static ReplyHandler<HttpCall, HttpAnswer> asking(Actor<HttpCall, HttpAnswer> actor,
            Duration deadline) {
        Objects.requireNonNull(actor, "actor");
        if (Objects.requireNonNull(deadline, "deadline").isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("deadline must be more than zero: " + deadline);
        }
        return call -> {
            try {
                var answer = actor.ask(call, deadline);
                try {
                    return answer.get();
                } catch (InterruptedException e) {
                    answer.cancel(true);
                    throw e;
                }
            } catch (MailboxFullException full) {
                throw HttpProblem.busy(full);
            } catch (ExecutionException failed) {
                throw switch (failed.getCause()) {
                    case AskTimeoutException late ->
                        new HttpProblem(504, "this took too long; try again later", late);
                    case MailboxFullException full -> HttpProblem.busy(full);
                    case ActorStoppedException stopped -> HttpProblem.busy(stopped);
                    case Exception other -> other;
                    case Error error -> throw error;
                    case null, default -> failed;
                };
            }
        };
    }
}
