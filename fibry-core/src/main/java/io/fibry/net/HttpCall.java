package io.fibry.net;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * A request of a route. It may be handed to another thread or actor, and is for one of them at a time; after
 * it has been answered its content cannot be read any more.
 */
public interface HttpCall {
    /**
     * The request as the JDK's server sees it.
     *
     * @return the exchange; do not answer through it
     */
    HttpExchange exchange();

    /**
     * The method.
     *
     * @return as {@code GET}
     */
    default String method() {
        return exchange().getRequestMethod();
    }

    /**
     * The path as it came.
     *
     * @return as {@code /users/J%C3%B8rgen}
     */
    default String path() {
        return exchange().getRequestURI().getRawPath();
    }

    /**
     * The part of the path that stands where the route has {@code {name}}, decoded.
     *
     * @param name the name
     * @return the part
     * @throws IllegalArgumentException if the route has no such part
     */
    String parameter(String name);

    /**
     * The first value of a name in the query, decoded.
     *
     * @param name the name
     * @return the value; empty text if the name stands alone
     * @throws HttpProblem with status 400 if the query is not well formed
     */
    Optional<String> query(String name);

    /**
     * The first value of a header.
     *
     * @param name its name, in any case
     * @return the value
     */
    default Optional<String> header(String name) {
        return Optional.ofNullable(exchange().getRequestHeaders().getFirst(name));
    }

    /**
     * The content, as it comes. Reading more than {@link HttpOptions#bodyBytes()} fails, and the client gets a
     * status 413.
     *
     * @return the stream
     */
    default InputStream body() {
        return exchange().getRequestBody();
    }

    /**
     * The whole content.
     *
     * @return the bytes
     * @throws IOException if the client has gone, or sends more than {@link HttpOptions#bodyBytes()}
     */
    byte[] bytes() throws IOException;

    /**
     * The whole content as UTF-8 text.
     *
     * @return the text
     * @throws IOException if the client has gone, or sends more than {@link HttpOptions#bodyBytes()}
     */
    String text() throws IOException;
}
