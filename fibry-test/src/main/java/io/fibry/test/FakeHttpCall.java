package io.fibry.test;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpAttribute;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpProblem;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An HTTP request without a server and without a port: it is given to the handler of a route, and the test looks at the answer.
 *
 * <pre>{@code
 * var answer = FakeHttpCall.of("GET", "/users/7?full=yes").withParameter("id", "7").answeredBy(handler);
 * assertEquals(200, answer.status());
 * assertEquals("Ann", answer.text());
 * }</pre>
 *
 * <p>Requests are immutable: each {@code with} method returns another one. Only the stream of the content has a place ({@link
 * #body()} returns a new one each time), and {@link #put} changes the request itself, as filters expect.
 */
public final class FakeHttpCall implements HttpCall {
    private final String method;
    private final URI uri;
    private final Map<String, String> parameters;
    private final Headers headers;
    private final byte[] content;
    private final Map<HttpAttribute<?>, Object> attributes = new HashMap<>();

    private FakeHttpCall(String method, URI uri, Map<String, String> parameters, Headers headers,
            byte[] content) {
        this.method = method;
        this.uri = uri;
        this.parameters = parameters;
        this.headers = headers;
        this.content = content;
    }

    /**
     * What a client gets.
     *
     * @param status the status
     * @param headers the headers, of each name the first value
     * @param text the content, read as UTF-8
     */
    public record Answer(int status, Map<String, String> headers, String text) {
        /**
         * Copies the headers.
         *
         * @param status the status
         * @param headers the headers
         * @param text the content
         */
        public Answer {
            headers = Map.copyOf(headers);
            Objects.requireNonNull(text, "text");
        }

        /**
         * Returns a header. Upper and lower case make no difference.
         *
         * @param name the name of the header
         * @return its first value; empty if there is no such header
         */
        public Optional<String> header(String name) {
            Objects.requireNonNull(name, "name");
            return headers.entrySet().stream().filter(header -> header.getKey().equalsIgnoreCase(name))
                    .map(Map.Entry::getValue).findFirst();
        }
    }

    /**
     * Makes a request without headers and content.
     *
     * @param method the method, for example {@code GET}
     * @param pathAndQuery the path as a client sends it, with the query if there is one
     * @return the request
     * @throws IllegalArgumentException if this is no path
     */
    public static FakeHttpCall of(String method, String pathAndQuery) {
        Objects.requireNonNull(method, "method");
        if (!Objects.requireNonNull(pathAndQuery, "pathAndQuery").startsWith("/")) {
            throw new IllegalArgumentException("a path begins with /: " + pathAndQuery);
        }
        return new FakeHttpCall(method, URI.create(pathAndQuery), Map.of(), new Headers(), new byte[0]);
    }

    /**
     * Returns the same request with a part of its path, which the route would have named.
     *
     * @param name the name in the path of the route, {@code id} for <code>/users/{id}</code>
     * @param value the decoded part
     * @return the request
     */
    public FakeHttpCall withParameter(String name, String value) {
        var more = new HashMap<>(parameters);
        more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return new FakeHttpCall(method, uri, Map.copyOf(more), headers, content);
    }

    /**
     * Returns the same request with one more header.
     *
     * @param name the name of the header
     * @param value the value of the header
     * @return the request
     */
    public FakeHttpCall withHeader(String name, String value) {
        var more = new Headers();
        more.putAll(headers);
        more.add(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return new FakeHttpCall(method, uri, parameters, more, content);
    }

    /**
     * Returns the same request with a content.
     *
     * @param text the content, which is sent as UTF-8
     * @return the request
     */
    public FakeHttpCall withText(String text) {
        return new FakeHttpCall(method, uri, parameters, headers, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Gives the request to a handler on this thread, and returns what a client would get. An {@link HttpProblem} becomes its
     * status and text. No route is looked for, and no filter is called: {@link FakeHttpClient} does both.
     *
     * @param handler the handler of a route, or {@link HttpCallHandler#asking} for an actor
     * @return the answer
     * @throws Exception what else the handler throws: a server answers with the status 500
     */
    public Answer answeredBy(HttpCallHandler handler) throws Exception {
        HttpAnswer answer;
        try {
            answer = Objects.requireNonNull(handler, "handler").handle(this);
        } catch (HttpProblem problem) {
            return new Answer(problem.status(), Map.of(), problem.text());
        }
        var sent = new ByteArrayOutputStream();
        answer.body().writeTo(sent);
        var its = new HashMap<String, String>();
        answer.headers().forEach(header -> its.putIfAbsent(header.name(), header.value()));
        return new Answer(answer.status(), its, sent.toString(StandardCharsets.UTF_8));
    }

    /** Returns the request as a server gets it. */
    FakeExchange exchangeOnItsWay() {
        return new FakeExchange(method, uri, headers, content);
    }

    /**
     * There is no exchange, since there is no server.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public HttpExchange exchange() {
        throw new UnsupportedOperationException(
                "a fake call has no exchange: test what needs one with a server");
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return uri.getRawPath();
    }

    @Override
    public String parameter(String name) {
        var value = parameters.get(Objects.requireNonNull(name, "name"));
        if (value == null) {
            throw new IllegalArgumentException(
                    "the call has no part {" + name + "}; it has " + parameters.keySet()
                            + "; add it by withParameter");
        }
        return value;
    }

    @Override
    public Optional<String> rawQuery() {
        return Optional.ofNullable(uri.getRawQuery());
    }

    @Override
    public List<String> headers(String name) {
        return List.copyOf(headers.getOrDefault(name, List.of()));
    }

    @Override
    @SuppressWarnings("unchecked") // put() takes only values of this type
    public <T> Optional<T> attribute(HttpAttribute<T> attribute) {
        return Optional.ofNullable((T) attributes.get(Objects.requireNonNull(attribute, "attribute")));
    }

    @Override
    public <T> void put(HttpAttribute<T> attribute, T value) {
        attributes.put(Objects.requireNonNull(attribute, "attribute"),
                Objects.requireNonNull(value, "value"));
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.getFirst(name));
    }

    @Override
    public InputStream body() {
        return new ByteArrayInputStream(content);
    }

    @Override
    public byte[] bytes() {
        return content.clone();
    }

    @Override
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return method + " " + uri;
    }
}
