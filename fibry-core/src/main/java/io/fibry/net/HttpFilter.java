package io.fibry.net;

import io.fibry.function.ReplyHandler;

/**
 * Code around the handlers of routes. It may answer by itself, pass another call on, change the answer, and run code
 * before and after the handler. A filter is called for many requests at the same time, in the place where handlers run.
 *
 * <pre>{@code
 * routes.around((call, next) -> {
 *     var began = System.nanoTime();
 *     try {
 *         return next.handle(call);
 *     } finally {
 *         timer.record(System.nanoTime() - began);
 *     }
 * })
 * }</pre>
 */
@FunctionalInterface
public interface HttpFilter {
    /**
     * Answers one request.
     *
     * @param call the request
     * @param next the handler of the route, with the filters inside this one. An {@link HttpProblem} that it throws,
     *     and a failure that has a {@linkplain HttpRoutes#failing handler}, is an answer here
     * @return the answer
     * @throws Exception if the request cannot be answered; it is treated as if the handler of the route had thrown it
     */
    HttpAnswer filter(HttpCall call, ReplyHandler<HttpCall, HttpAnswer> next) throws Exception;
}
