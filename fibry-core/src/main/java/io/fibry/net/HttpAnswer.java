package io.fibry.net;

import io.fibry.function.Handler;
import io.fibry.internal.text.HttpText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The answer to an HTTP request. Answers are immutable: each call that changes something returns another answer.
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
    private static final List<Header> TEXT = type("text/plain; charset=utf-8");
    private static final List<Header> HTML = type("text/html; charset=utf-8");
    private static final List<Header> JSON = type("application/json");
    private static final int OK = 200;
    private static final int SEE_OTHER = 303;
    private static final int HIGHEST = 599;
    private static final char DELETE = 0x7F;
    private static final char LAST_CONTROL = 0x9F;
    private static final char LAST_OF_ISO_8859_1 = 0xFF;

    /**
     * A header of the answer.
     *
     * @param name the name of the header
     * @param value the value of the header
     */
    public record Header(String name, String value) {
        /**
         * Checks that the header can be sent, in HTTP/1.1 and in HTTP/2.
         *
         * @param name letters, digits and {@code !#$%&'*+-.^_`|~}
         * @param value one line of ISO 8859-1; spaces and tabs around it are removed, as they would be in transit
         */
        public Header {
            if (!HttpText.isToken(name, name.length())) {
                throw new IllegalArgumentException("no name of a header: '" + name
                        + "'; it has letters, digits and !#$%&'*+-.^_`|~");
            }
            value = strip(value);
            for (var i = 0; i < value.length(); i++) {
                if (!isOfValue(value.charAt(i))) {
                    throw new IllegalArgumentException(
                            "header " + name + " must be one line of ISO 8859-1: character "
                                    + "U+%04X at %d of '%s'; encode it".formatted(
                                            (int) value.charAt(i), i, value));
                }
            }
        }

        private static boolean isOfValue(char c) {
            return (c >= ' ' && c < DELETE) || c == '\t' || (c > LAST_CONTROL && c <= LAST_OF_ISO_8859_1);
        }

        private static String strip(String value) {
            var start = 0;
            var end = value.length();
            while (start < end && isSpace(value.charAt(start))) {
                start++;
            }
            while (start < end && isSpace(value.charAt(end - 1))) {
                end--;
            }
            return value.substring(start, end);
        }

        private static boolean isSpace(char c) {
            return c == ' ' || c == '\t';
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

    private static HttpAnswer of(List<Header> type, String content) {
        return new HttpAnswer(OK, type, HttpBody.of(content.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<Header> type(String contentType) {
        return List.of(new Header("Content-Type", contentType));
    }

    /**
     * Returns an answer that is plain text.
     *
     * @param text the text
     * @return the answer, with status 200
     */
    public static HttpAnswer text(String text) {
        return of(TEXT, text);
    }

    /**
     * Returns an answer that is an HTML page.
     *
     * @param html the source of the page
     * @return the answer, with status 200
     */
    public static HttpAnswer html(String html) {
        return of(HTML, html);
    }

    /**
     * Returns an answer that is JSON.
     *
     * @param json the JSON text
     * @return the answer, with status 200
     */
    public static HttpAnswer json(String json) {
        return of(JSON, json);
    }

    /**
     * Returns an answer that consists of bytes.
     *
     * @param contentType the type of the content, for example {@code image/png}
     * @param bytes the bytes; they must not be changed any more
     * @return the answer, with status 200
     */
    public static HttpAnswer bytes(String contentType, byte[] bytes) {
        return stream(contentType, HttpBody.of(bytes));
    }

    /**
     * Returns an answer whose content is made while it is sent.
     *
     * @param contentType the type of the content, for example {@code text/csv}
     * @param body writes the content
     * @return the answer, with status 200
     */
    public static HttpAnswer stream(String contentType, HttpBody body) {
        return new HttpAnswer(OK, type(contentType), body);
    }

    /**
     * Returns an answer whose content is server-sent events.
     *
     * <pre>{@code
     * routes.get("/clock", call -> HttpAnswer.events(events -> {
     *     while (true) {
     *         events.send(Instant.now().toString());
     *         Thread.sleep(1_000);
     *     }
     * }))
     * }</pre>
     *
     * @param handler sends the events when the answer has begun, until it returns. If it throws, the connection is closed, and
     *     the client connects again
     * @return the answer
     */
    public static HttpAnswer events(Handler<HttpEvents> handler) {
        Objects.requireNonNull(handler, "handler");
        return stream("text/event-stream", out -> {
            out.flush(); // the client knows that it is connected before there is an event
            var events = new HttpEventStream(out);
            handler.handle(events);
            events.end();
        }).header("Cache-Control", "no-store");
    }

    /**
     * Returns an answer without content.
     *
     * @param status the status, from 200 to 599
     * @return the answer
     */
    public static HttpAnswer empty(int status) {
        return new HttpAnswer(status, List.of(), HttpBytes.NONE);
    }

    /**
     * Returns the same answer with another status.
     *
     * @param newStatus the status, from 200 to 599
     * @return the new answer
     */
    public HttpAnswer status(int newStatus) {
        return new HttpAnswer(newStatus, headers, body);
    }

    /**
     * Returns the same answer with another content. Its headers stay as they are.
     *
     * @param newBody the content
     * @return the new answer
     */
    public HttpAnswer body(HttpBody newBody) {
        return new HttpAnswer(status, headers, newBody);
    }

    /**
     * Returns the same answer with one more header.
     *
     * @param name the name of the header
     * @param value the value of the header
     * @return the new answer
     */
    public HttpAnswer header(String name, String value) {
        var more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new HttpAnswer(status, more, body);
    }

    /**
     * Returns the same answer with one header of a name, instead of those that it has of this name.
     *
     * @param name the name of the header
     * @param value the value of the header
     * @return the new answer
     */
    public HttpAnswer replaceHeader(String name, String value) {
        var more = new ArrayList<Header>();
        headers.stream().filter(header -> !header.name().equalsIgnoreCase(name)).forEach(more::add);
        more.add(new Header(name, value));
        return new HttpAnswer(status, more, body);
    }

    /**
     * Returns the first value of a header.
     *
     * @param name the name of the header, in upper or lower case
     * @return the value
     */
    public Optional<String> header(String name) {
        for (var header : headers) {
            if (header.name().equalsIgnoreCase(name)) {
                return Optional.of(header.value());
            }
        }
        return Optional.empty();
    }

    /**
     * Returns an answer that sends the client to another place, which it asks by GET (status 303).
     *
     * @param location the place, for example {@code /users/7}
     * @return the answer
     */
    public static HttpAnswer redirect(String location) {
        return empty(SEE_OTHER).header("Location", location);
    }
}
