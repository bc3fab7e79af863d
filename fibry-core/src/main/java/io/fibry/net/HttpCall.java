package io.fibry.net;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * A request to a route. A program may pass it to another thread or actor, but only one of them may use it at a time.
 * After the request has been answered, its content can no longer be read.
 */
public interface HttpCall {
    /**
     * Returns the request in the form of the server of the JDK.
     *
     * @return the exchange; the handler must not answer through it
     */
    HttpExchange exchange();

    /**
     * Returns the method of the request.
     *
     * @return the method, for example {@code GET}
     */
    default String method() {
        return exchange().getRequestMethod();
    }

    /**
     * Returns the path of the request as it was sent, not decoded.
     *
     * @return the path, for example {@code /users/J%C3%B8rgen}
     */
    default String path() {
        return exchange().getRequestURI().getRawPath();
    }

    /**
     * Returns the part of the path, decoded, in the place where the path of the route has {@code {name}}.
     *
     * @param name the name
     * @return the part
     * @throws IllegalArgumentException if the route has no such part
     */
    String parameter(String name);

    /**
     * Returns the first value of a parameter in the query, decoded.
     *
     * @param name the name of the parameter
     * @return the value, which is an empty string if the name has no value
     * @throws HttpProblem with status 400 if the query is not well formed
     */
    Optional<String> query(String name);

    /**
     * Returns the first value of a header.
     *
     * @param name the name of the header, in upper or lower case
     * @return the value
     */
    default Optional<String> header(String name) {
        return Optional.ofNullable(exchange().getRequestHeaders().getFirst(name));
    }

    /**
     * Returns the content as a stream, while it is received. If more than {@link HttpOptions#bodyBytes()} bytes are
     * read, the read fails and the client gets the status 413.
     *
     * @return the stream
     */
    default InputStream body() {
        return exchange().getRequestBody();
    }

    /**
     * Reads the whole content.
     *
     * @return the bytes
     * @throws IOException if the client has closed the connection, or sends more than {@link HttpOptions#bodyBytes()}
     */
    byte[] bytes() throws IOException;

    /**
     * Reads the whole content as UTF-8 text.
     *
     * @return the text
     * @throws IOException if the client has closed the connection, or sends more than {@link HttpOptions#bodyBytes()}
     */
    String text() throws IOException;
}
