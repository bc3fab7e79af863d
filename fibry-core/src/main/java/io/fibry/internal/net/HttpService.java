package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpRoutes;
import org.jspecify.annotations.Nullable;

/** Answers requests in one of the ways that users can choose. */
@FunctionalInterface
interface HttpService {
    void serve(HttpExchange exchange, HttpReply reply, HttpWork work) throws Exception;

    /** Returns a service that answers by a handler of texts. */
    static HttpService of(ReplyHandler<HttpExchange, @Nullable String> handler, HttpPlace place) {
        return (exchange, reply, work) -> {
            var text = place.call(work, () -> handler.handle(exchange));
            if (text != null && !reply.hasBegun()) {
                reply.text(text);
            } else if (!reply.hasBegun()) {
                throw new IllegalStateException(
                        "the handler returned null and did not answer through the exchange; it must do one");
            } else {
                exchange.close();
            }
        };
    }

    /** Returns a service that answers by routes. */
    static HttpService of(HttpRoutes routes, HttpPlace place) {
        var tree = new HttpRouteTree(routes);
        return (exchange, reply, work) -> {
            var found = tree.find(exchange.getRequestMethod(), exchange.getRequestURI().getRawPath());
            var call = new HttpCallOfExchange(exchange, found.parameters());
            reply.answer(place.call(work, () -> found.handler().handle(call)));
        };
    }
}
