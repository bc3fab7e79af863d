package io.fibry.net;

import io.fibry.internal.text.HttpText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;

/**
 * Requests and answers whose content is JSON, by a library that reads and writes it. The module fibry-jackson has one; for
 * another library a program implements {@link #write}, {@link #read(byte[], Class)} and {@link #readList(byte[], Class)}.
 * Objects are thread-safe, and a program needs one of them.
 *
 * <pre>{@code
 * var json = HttpJson.found(); // with io.fibry:fibry-jackson
 * var routes = HttpRoutes.none()
 *         .get("/users/{id}", call -> json.answer(users.find(call.parameter("id"))))
 *         .post("/users", call -> json.answer(users.add(json.read(call, User.class))).status(201))
 *         .failing(HttpProblem.class, json::problem);
 * }</pre>
 */
public interface HttpJson {
    /**
     * Writes a value.
     *
     * @param value the value
     * @return JSON, in UTF-8
     * @throws RuntimeException if the value cannot be written; that is a fault of the program
     */
    byte[] write(Object value);

    /**
     * Reads a value.
     *
     * @param <T> the type of the value
     * @param json JSON, in UTF-8
     * @param type the type of the value
     * @return the value, which is not null
     * @throws HttpProblem with status 400 if the bytes are no JSON, or do not fit the type; its text is sent to clients, so it
     *     says where the fault is and names no class of the program
     * @throws RuntimeException if no JSON fits the type; that is a fault of the program
     */
    <T> T read(byte[] json, Class<T> type);

    /**
     * Reads a list.
     *
     * @param <T> the type of the elements
     * @param json JSON, in UTF-8
     * @param element the type of the elements
     * @return the list, which has no null
     * @throws HttpProblem with status 400 if the bytes are no JSON, or do not fit the type; its text is sent to clients, so it
     *     says where the fault is and names no class of the program
     * @throws RuntimeException if no JSON fits the type; that is a fault of the program
     */
    <T> List<T> readList(byte[] json, Class<T> element);

    /**
     * Returns the one library that is found as a service.
     *
     * @return the library
     * @throws IllegalStateException if there is none, or more than one
     */
    static HttpJson found() {
        var found = new ArrayList<HttpJson>();
        ServiceLoader.load(HttpJson.class).forEach(found::add);
        if (found.size() != 1) {
            throw new IllegalStateException(found.isEmpty()
                    ? "no library for JSON is found: add io.fibry:fibry-jackson, or implement HttpJson"
                    : "more than one library for JSON is found, " + found + ": make the one that is wanted");
        }
        return found.getFirst();
    }

    /**
     * Returns an answer that is a value as JSON.
     *
     * @param value the value
     * @return the answer, with status 200
     */
    default HttpAnswer answer(Object value) {
        return HttpAnswer.bytes("application/json", write(Objects.requireNonNull(value, "value")));
    }

    /**
     * Returns a value as JSON, for example for a message of a web socket or a server-sent event.
     *
     * @param value the value
     * @return the JSON
     */
    default String text(Object value) {
        return new String(write(Objects.requireNonNull(value, "value")), StandardCharsets.UTF_8);
    }

    /**
     * Reads a value that is not the content of a request, for example a message of a web socket.
     *
     * @param <T> the type of the value
     * @param text the JSON
     * @param type the type of the value
     * @return the value
     * @throws HttpProblem with status 400 if the text is no JSON, or does not fit
     */
    default <T> T parse(String text, Class<T> type) {
        return read(text.getBytes(StandardCharsets.UTF_8), Objects.requireNonNull(type, "type"));
    }

    /**
     * Reads the content of a request.
     *
     * @param <T> the type of the value
     * @param call the request
     * @param type the type of the value
     * @return the value
     * @throws HttpProblem with status 415 if the content is of another type, and with 400 if it is no JSON or does not fit
     * @throws HttpProblem with status 413 if there is more than {@link HttpOptions#bodyBytes()}
     * @throws IOException if the client has closed the connection
     */
    default <T> T read(HttpCall call, Class<T> type) throws IOException {
        Objects.requireNonNull(type, "type");
        return read(content(call), type);
    }

    /**
     * Reads the content of a request, which is a list.
     *
     * @param <T> the type of the elements
     * @param call the request
     * @param element the type of the elements
     * @return the list
     * @throws HttpProblem with status 415 if the content is of another type, and with 400 if it is no JSON or does not fit
     * @throws HttpProblem with status 413 if there is more than {@link HttpOptions#bodyBytes()}
     * @throws IOException if the client has closed the connection
     */
    default <T> List<T> readList(HttpCall call, Class<T> element) throws IOException {
        Objects.requireNonNull(element, "element");
        return readList(content(call), element);
    }

    private static byte[] content(HttpCall call) throws IOException {
        var type = HttpText.withoutParameters(call.header("Content-Type").orElse(""));
        if (!type.equals("application/json")
                && !(type.startsWith("application/") && type.endsWith("+json"))) {
            throw new HttpProblem(415, "JSON is expected: application/json");
        }
        return call.bytes();
    }

    /**
     * Answers a problem with JSON (RFC 9457). It is meant for {@code routes.failing(HttpProblem.class, json::problem)}.
     *
     * @param call the request
     * @param problem the problem
     * @return an answer with the status and the text of the problem
     */
    default HttpAnswer problem(HttpCall call, HttpProblem problem) {
        var parts = new LinkedHashMap<String, Object>();
        parts.put("title", problem.text());
        parts.put("status", problem.status());
        return problem.answer().replaceHeader("Content-Type", "application/problem+json")
                .body(HttpBody.of(write(parts)));
    }
}
