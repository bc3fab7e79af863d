package io.fibry.net;

import io.fibry.internal.text.HttpText;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A request. A program may pass it to another thread or actor, but only one of them may use it at a time.
 * After the request has been answered, its content can no longer be read.
 */
public interface HttpCall {
    /**
     * Returns the method of the request.
     *
     * @return the method, for example {@code GET}
     */
    String method();

    /**
     * Returns the target of the request.
     *
     * @return the target, as it was sent
     */
    URI uri();

    /**
     * Returns the path of the request as it was sent, not decoded.
     *
     * @return the path, for example {@code /users/J%C3%B8rgen}
     */
    default String path() {
        return uri().getRawPath();
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
    default Optional<String> query(String name) {
        Objects.requireNonNull(name, "name");
        return HttpParameters.first(rawQuery(), name);
    }

    /**
     * Returns all names and values of the query, decoded. {@link #query} is faster if one value is wanted.
     *
     * @return the names and values
     * @throws HttpProblem with status 400 if the query is not well formed, or has more than 1,000 values
     */
    default HttpParameters queries() {
        return HttpParameters.decode(rawQuery());
    }

    /**
     * Returns the first value of a header.
     *
     * @param name the name of the header, in upper or lower case
     * @return the value
     */
    default Optional<String> header(String name) {
        return headers(name).stream().findFirst();
    }

    /**
     * Returns all values of a header.
     *
     * @param name the name of the header, in upper or lower case
     * @return the values, one for each time that the client has sent the header
     */
    List<String> headers(String name);

    /**
     * Returns the value of a cookie. If the client sends several cookies of this name, it is the first one, whose path
     * is the longest.
     *
     * @param name the name of the cookie
     * @return the value, as it was sent, without the quotes that may be around it
     */
    default Optional<String> cookie(String name) {
        return CookieText.find(headers("Cookie"), Objects.requireNonNull(name, "name"));
    }

    /**
     * Reads the whole content as a form of HTML pages, {@code application/x-www-form-urlencoded}.
     *
     * @return the names and values of the form
     * @throws HttpProblem with status 415 if the content is of another type, and with 400 if it is not well formed or has
     *     more than 1,000 values
     * @throws HttpProblem with status 413 if there is more than {@link HttpOptions#bodyBytes()}
     * @throws IOException if the client has closed the connection
     */
    default HttpParameters form() throws IOException {
        var type = header("Content-Type").orElse("");
        if (!HttpText.withoutParameters(type).equals("application/x-www-form-urlencoded")) {
            throw new HttpProblem(415, "a form is expected: application/x-www-form-urlencoded");
        }
        return HttpParameters.decode(text());
    }

    /**
     * Returns the version of HTTP.
     *
     * @return the version, for example {@code HTTP/1.1}
     */
    String protocol();

    /**
     * Returns the address of the client, or of the proxy in front of this server.
     *
     * @return the address
     */
    InetSocketAddress remoteAddress();

    /**
     * Returns the certificates that the client has shown, which the server trusts. They are there if {@link
     * TlsOptions#clients()} demands them.
     *
     * @return the certificates, the client's own first; empty if it has shown none
     */
    default List<X509Certificate> certificates() {
        return List.of();
    }

    /**
     * Returns the value of a class that a filter has put at this request.
     *
     * @param <T> the class of the value
     * @param type the class under which the value was put
     * @return the value; empty if there is none
     */
    <T> Optional<T> attribute(Class<T> type);

    /**
     * Puts a value at this request, for its handler and for filters. The value replaces an earlier one of the same class. Like
     * the other methods, it must not be called by two threads at a time.
     *
     * <pre>{@code
     * routes.before(call -> call.put(User.class, users.of(call)))
     *       .get("/me", call -> HttpAnswer.text(call.attribute(User.class).orElseThrow().name()))
     * }</pre>
     *
     * @param <T> the class of the value
     * @param type the class
     * @param value the value
     */
    <T> void put(Class<T> type, T value);

    /**
     * Returns the content as a stream, while it is received. If more than {@link HttpOptions#bodyBytes()} bytes are
     * read, the read fails and the client gets the status 413.
     *
     * @return the stream
     */
    InputStream body();

    /**
     * Reads the whole content.
     *
     * @return the bytes
     * @throws HttpProblem with status 413 if there is more than {@link HttpOptions#bodyBytes()}
     * @throws IOException if the client has closed the connection
     */
    default byte[] bytes() throws IOException {
        return body().readAllBytes();
    }

    /**
     * Reads the whole content as UTF-8 text.
     *
     * @return the text
     * @throws HttpProblem with status 400 if the content is not UTF-8; {@link #bytes()} reads it as it is
     * @throws HttpProblem with status 413 if there is more than {@link HttpOptions#bodyBytes()}
     * @throws IOException if the client has closed the connection
     */
    default String text() throws IOException {
        return HttpText.utf8(bytes(), cause -> new HttpProblem(400, "the content is not UTF-8", cause));
    }

    private String rawQuery() {
        return Objects.requireNonNullElse(uri().getRawQuery(), "");
    }
}
