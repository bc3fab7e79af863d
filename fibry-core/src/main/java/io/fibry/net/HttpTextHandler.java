package io.fibry.net;

import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP requests with text. It may block and may throw anything; it is called by many requests at the
 * same time.
 */
@FunctionalInterface
public interface HttpTextHandler {
    /**
     * Answers one request.
     *
     * @param exchange the request, and a way to set headers of the answer
     * @return the answer's text, sent as UTF-8 with status 200; or null if the handler has sent the answer
     *         itself, through the exchange
     * @throws Exception whatever went wrong; the client gets a status 500, or that of an {@link HttpProblem}
     */
    @Nullable String handle(HttpExchange exchange) throws Exception;
}
