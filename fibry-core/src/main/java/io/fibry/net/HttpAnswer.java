package io.fibry.net;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a client gets. Immutable: each call that changes something returns another answer.
 *
 * <pre>{@code
 * HttpAnswer.json(mapper.writeValueAsString(user)).status(201).header("Location", "/users/7")
 * }</pre>
 *
 * @param status the status, from 200 to 599
 * @param headers the headers, in order
 * @param body the content
 */
public record HttpAnswer(int status, List<Header> headers, HttpBody body) {
    private static final int OK = 200;
    private static final int HIGHEST = 599;

    /**
     * One header.
     *
     * @param name its name
     * @param value its value
     */
    public record Header(String name, String value) {
        /**
         * Checks both: neither may bring a line end in.
         *
         * @param name not empty
         * @param value any text of one line
         */
        public Header {
            if (name.isEmpty() || name.chars().anyMatch(c -> c <= ' ' || c > '~' || c == ':')) {
                throw new IllegalArgumentException("no name of a header: '" + name + "'");
            }
            if (value.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
                throw new IllegalArgumentException("header " + name + " must be one line: '" + value + "'");
            }
        }
    }

    /**
     * Checks the status.
     *
     * @param status from 200 to 599
     * @param headers not null
     * @param body not null
     */
    public HttpAnswer {
        if (status < OK || status > HIGHEST) {
            throw new IllegalArgumentException("status must be from 200 to 599: " + status);
        }
        headers = List.copyOf(headers);
        Objects.requireNonNull(body, "body");
    }

    private static HttpAnswer of(String contentType, HttpBody body) {
        return new HttpAnswer(OK, List.of(new Header("Content-Type", contentType)), body);
    }

    /**
     * Plain text.
     *
     * @param text the text
     * @return the answer, with status 200
     */
    public static HttpAnswer text(String text) {
        return of("text/plain; charset=utf-8", HttpBody.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * A page.
     *
     * @param html its source
     * @return the answer, with status 200
     */
    public static HttpAnswer html(String html) {
        return of("text/html; charset=utf-8", HttpBody.of(html.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * JSON that some library has written.
     *
     * @param json the JSON
     * @return the answer, with status 200
     */
    public static HttpAnswer json(String json) {
        return of("application/json", HttpBody.of(json.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Bytes.
     *
     * @param contentType what they are, as {@code image/png}
     * @param bytes the bytes; they must not be changed any more
     * @return the answer, with status 200
     */
    public static HttpAnswer bytes(String contentType, byte[] bytes) {
        return of(contentType, HttpBody.of(bytes));
    }

    /**
     * Content that is made while it is sent.
     *
     * @param contentType what it is, as {@code text/csv}
     * @param body writes it
     * @return the answer, with status 200
     */
    public static HttpAnswer stream(String contentType, HttpBody body) {
        return of(contentType, body);
    }

    /**
     * A status and nothing else.
     *
     * @param status the status, from 200 to 599
     * @return the answer
     */
    public static HttpAnswer empty(int status) {
        return new HttpAnswer(status, List.of(), HttpBytes.NONE);
    }

    /**
     * The same with another status.
     *
     * @param newStatus from 200 to 599
     * @return the answer that has it
     */
    public HttpAnswer status(int newStatus) {
        return new HttpAnswer(newStatus, headers, body);
    }

    /**
     * The same with one more header.
     *
     * @param name its name
     * @param value its value
     * @return the answer that has it
     */
    public HttpAnswer header(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new HttpAnswer(status, more, body);
    }
}
