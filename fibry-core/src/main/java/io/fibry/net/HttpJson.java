package io.fibry.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.ServiceLoader;

/**
 * Requests and answers whose content is JSON. Objects of this class are thread-safe if their format is, and a program
 * needs one of them.
 *
 * <pre>{@code
 * var json = HttpJson.found(); // with io.fibry:fibry-jackson
 * var routes = HttpRoutes.none()
 *         .get("/users/{id}", call -> json.answer(users.find(call.parameter("id"))))
 *         .post("/users", call -> json.answer(users.add(json.read(call, User.class))).status(201))
 *         .failing(HttpProblem.class, json::problem);
 * }</pre>
 *
 * @param format the library that reads and writes JSON
 */
public record HttpJson(JsonFormat format) {
    /**
     * Checks that there is a format.
     *
     * @param format not null
     */
    public HttpJson {
        Objects.requireNonNull(format, "format");
    }

    /**
     * Returns the format of the one library that is found as a service.
     *
     * @return JSON by this library
     * @throws IllegalStateException if there is none, or more than one
     */
    public static HttpJson found() {
        var found = new ArrayList<JsonFormat>();
        ServiceLoader.load(JsonFormat.class).forEach(found::add);
        if (found.size() != 1) {
            throw new IllegalStateException(found.isEmpty()
                    ? "no library for JSON is found: add io.fibry:fibry-jackson, or call HttpJson.of with a format"
                    : "more than one library for JSON is found, " + found + ": call HttpJson.of with one");
        }
        return of(found.getFirst());
    }

    /**
     * Returns JSON by a library.
     *
     * @param format the library
     * @return JSON by this library
     */
    public static HttpJson of(JsonFormat format) {
        return new HttpJson(format);
    }

    /**
     * Returns an answer that is a value as JSON.
     *
     * @param value the value
     * @return the answer, with status 200
     */
    public HttpAnswer answer(Object value) {
        return HttpAnswer.bytes("application/json", format.write(Objects.requireNonNull(value, "value")));
    }

    /**
     * Returns a value as JSON, for example for a message of a web socket or a server-sent event.
     *
     * @param value the value
     * @return the JSON
     */
    public String text(Object value) {
        return new String(format.write(Objects.requireNonNull(value, "value")), StandardCharsets.UTF_8);
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
    public <T> T parse(String text, Class<T> type) {
        return format.read(text.getBytes(StandardCharsets.UTF_8), Objects.requireNonNull(type, "type"));
    }

    /**
     * Reads the content of a request.
     *
     * @param <T> the type of the value
     * @param call the request
     * @param type the type of the value
     * @return the value
     * @throws HttpProblem with status 415 if the content is of another type, and with 400 if it is no JSON or does not fit
     * @throws IOException if the client has closed the connection, or sends more than {@link HttpOptions#bodyBytes()}
     */
    public <T> T read(HttpCall call, Class<T> type) throws IOException {
        Objects.requireNonNull(type, "type");
        return format.read(content(call), type);
    }

    /**
     * Reads the content of a request, which is a list.
     *
     * @param <T> the type of the elements
     * @param call the request
     * @param element the type of the elements
     * @return the list
     * @throws HttpProblem with status 415 if the content is of another type, and with 400 if it is no JSON or does not fit
     * @throws IOException if the client has closed the connection, or sends more than {@link HttpOptions#bodyBytes()}
     */
    public <T> List<T> readList(HttpCall call, Class<T> element) throws IOException {
        Objects.requireNonNull(element, "element");
        return format.readList(content(call), element);
    }

    private static byte[] content(HttpCall call) throws IOException {
        var type =
                CookieText.beforeSemicolon(call.header("Content-Type").orElse("")).toLowerCase(Locale.ROOT);
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
    public HttpAnswer problem(HttpCall call, HttpProblem problem) {
        var parts = new LinkedHashMap<String, Object>();
        parts.put("title", problem.text());
        parts.put("status", problem.status());
        return problem.answer().replaceHeader("Content-Type", "application/problem+json")
                .body(HttpBody.of(format.write(parts)));
    }
}
