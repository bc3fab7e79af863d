package io.fibry.net;

import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP requests with text. A handler may block and may throw anything. It is called for many requests at the
 * same time.
 */
@FunctionalInterface
public interface HttpTextHandler {
    /**
     * Answers one request.
     *
     * @param exchange the request; the handler can set headers of the answer through it
     * @return the text of the answer, which is sent as UTF-8 with the status 200; or null if the handler has sent the
     *     answer itself, through the exchange
     * @throws Exception if the request cannot be answered; the client gets the status 500, or the status of an {@link
     *     HttpProblem}
     */
    @Nullable String handle(HttpExchange exchange) throws Exception;
}
