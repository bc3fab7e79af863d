package io.fibry.internal.net;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A handler with the filters around it, as one handler. A handler without filters stays what it is.
 *
 * <p>Around the handler and around each filter is a {@link Guard}, which makes an answer of a failure. So a filter sees
 * the failures of what is inside it as answers, in whatever order filters and handlers of failures were added.
 */
final class HttpChain {
    private HttpChain() {
    }

    /** Returns a handler inside groups of routes, the outermost first. */
    static ReplyHandler<HttpCall, HttpAnswer> of(ReplyHandler<HttpCall, HttpAnswer> handler,
            List<HttpRoutes> groups) {
        var chain = handler;
        for (var group : groups.reversed()) {
            if (!group.filters().isEmpty() || !group.failures().isEmpty()) {
                chain = new Guard(chain, group);
                for (var filter : group.filters().reversed()) {
                    var next = chain;
                    chain = new Guard(call -> filter.filter(call, next), group);
                }
            }
        }
        return chain;
    }

    /** Calls a handler, and answers its failures. */
    private record Guard(ReplyHandler<HttpCall, HttpAnswer> inner,
            HttpRoutes group) implements ReplyHandler<HttpCall, HttpAnswer> {
        @Override
        public HttpAnswer handle(HttpCall call) throws Exception {
            try {
                return Objects.requireNonNull(inner.handle(call), "a handler or a filter returned no answer");
            } catch (InterruptedException stopped) {
                throw stopped;
            } catch (Throwable failure) {
                var served = ServedCall.of(call);
                if (served != null && served.flaw() != null) {
                    throw failure; // the server itself answers, since the rest of the content cannot be read
                }
                var handler = handlerOf(failure);
                if (handler != null) {
                    return Objects.requireNonNull(handler.apply(call, failure),
                            () -> "the handler of " + failure.getClass().getName() + " returned no answer");
                }
                if (failure instanceof HttpProblem problem) {
                    return problem.answer();
                }
                throw failure;
            }
        }

        /** Returns what answers a failure: the handler of its class, or of the nearest class above it. */
        private @Nullable BiFunction<HttpCall, Throwable, HttpAnswer> handlerOf(Throwable failure) {
            for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
                var handler = group.failures().get(type);
                if (handler != null) {
                    return handler;
                }
            }
            return null;
        }
    }
}
