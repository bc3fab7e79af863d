package io.fibry.internal.net;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpFilters;
import io.fibry.net.HttpProblem;
import java.util.List;
import java.util.Objects;

/**
 * A handler with the filters around it, as one handler. A handler without filters stays what it is.
 *
 * <p>Around the handler and around each filter is a {@link Guard}, which makes an answer of a failure. So a filter sees
 * the failures of what is inside it as answers, in whatever order filters and handlers of failures were added.
 */
final class HttpChain {
    private HttpChain() {
    }

    static HttpCallHandler of(HttpCallHandler handler, List<HttpFilters> layers) {
        var chain = handler;
        for (var layer : layers.reversed()) {
            if (!layer.isEmpty()) {
                chain = new Guard(chain, layer);
                for (var filter : layer.filters().reversed()) {
                    var next = chain;
                    chain = new Guard(call -> filter.filter(call, next), layer);
                }
            }
        }
        return chain;
    }

    /** Calls a handler, and answers its failures. */
    private record Guard(HttpCallHandler inner, HttpFilters layer) implements HttpCallHandler {
        @Override
        public HttpAnswer handle(HttpCall call) throws Exception {
            try {
                return Objects.requireNonNull(inner.handle(call), "a handler or a filter returned no answer");
            } catch (InterruptedException stopped) {
                throw stopped;
            } catch (Throwable failure) {
                if (isOfContent(call, failure)) {
                    throw failure;
                }
                var handler = layer.handlerOf(failure);
                if (handler.isPresent()) {
                    return Objects.requireNonNull(handler.get().answer(call, failure),
                            () -> "the handler of " + failure.getClass().getName() + " returned no answer");
                }
                if (failure instanceof HttpProblem problem) {
                    return problem.answer();
                }
                throw failure;
            }
        }

        /** Returns whether the server itself deals with a failure, since the rest of the content cannot be read. */
        private static boolean isOfContent(HttpCall call, Throwable failure) {
            return HttpChecks.isTooLong(failure) || HttpChecks.isTooSlow(failure)
                    || (call.exchange().getRequestBody() instanceof HttpBodyLimit body && body.isBroken());
        }
    }
}
