package io.fibry.web;

import io.fibry.function.ReplyHandler;
import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpFilter;
import io.fibry.web.internal.Acceptance;
import io.fibry.web.internal.GzipBody;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Compresses answers for clients that accept it: text, JSON, XML, JavaScript, SVG and the like, if they are not short.
 *
 * <pre>{@code
 * routes.around(Gzip.standard())
 * }</pre>
 *
 * <p>Answers up to 256 KiB are compressed before they are sent, so that they have a length, and are sent as they are if
 * that makes them no shorter. Longer answers, and those whose length is not known, are compressed while they are sent;
 * what the handler flushes reaches the client. Other answers stay as they are: without content, with one part of a file
 * (206), with a {@code Content-Encoding}, with {@code Cache-Control: no-transform}, and server-sent events.
 *
 * <p>Do not compress answers that contain a secret beside text that others can choose: the length of the answer tells
 * something about the secret (BREACH). Objects of this class are immutable: each call returns another one.
 *
 * @param minBytes how long an answer must be to be compressed
 * @param moreTypes further types of content that are compressed
 */
public record Gzip(int minBytes, Set<String> moreTypes) implements HttpFilter {
    private static final int MIN_BYTES = 1_024;
    private static final int IN_MEMORY = 256 * 1024;
    private static final int PARTIAL = 206;
    private static final int NOT_MODIFIED = 304;
    private static final Set<Integer> WITHOUT_CONTENT = Set.of(204, 205);
    private static final Set<String> TYPES =
            Set.of("application/json", "application/javascript", "application/xml",
                    "application/wasm", "application/manifest+json", "application/x-ndjson", "image/svg+xml",
                    "image/x-icon",
                    "image/bmp", "font/ttf", "font/otf");

    /**
     * Checks the number.
     *
     * @param minBytes not negative
     * @param moreTypes types without parameters
     */
    public Gzip {
        if (minBytes < 0) {
            throw new IllegalArgumentException("minBytes must not be negative: " + minBytes);
        }
        moreTypes = Set.copyOf(moreTypes);
        for (var type : moreTypes) {
            if (!type.equals(type.toLowerCase(Locale.ROOT)) || type.indexOf(';') >= 0
                    || type.indexOf('/') < 0) {
                throw new IllegalArgumentException("'" + type
                        + "' is no type without parameters in small letters, such as application/x-tar");
            }
        }
    }

    /**
     * Returns a filter that compresses answers of 1 KiB and more.
     *
     * @return the filter
     */
    public static Gzip standard() {
        return new Gzip(MIN_BYTES, Set.of());
    }

    /**
     * Returns the same filter with another least length.
     *
     * @param least how long an answer must be to be compressed
     * @return the new filter
     */
    public Gzip minBytes(int least) {
        return new Gzip(least, moreTypes);
    }

    /**
     * Returns the same filter for further types of content.
     *
     * @param types the types, for example {@code application/x-tar}
     * @return the new filter
     */
    public Gzip moreTypes(String... types) {
        return new Gzip(minBytes, Set.of(types));
    }

    @Override
    public HttpAnswer filter(HttpCall call, ReplyHandler<HttpCall, HttpAnswer> next) throws Exception {
        var answer = next.handle(call);
        var isKnown = answer.status() == NOT_MODIFIED; // without a type, but the client tells by the tag which form it has
        if (WITHOUT_CONTENT.contains(answer.status())
                || !(isKnown || isWorthIt(answer.header("Content-Type").orElse("")))
                || answer.header("Content-Encoding").isPresent()
                || answer.header("Cache-Control").orElse("").toLowerCase(Locale.ROOT)
                        .contains("no-transform")) {
            return answer;
        }
        var length = answer.body().length();
        var varying = answer.header("Vary", "Accept-Encoding"); // caches must not mix up the two forms
        var staysPlain = isKnown
                ? !call.headers("If-None-Match").toString().contains("W/" + answer.header("ETag").orElse(""))
                : answer.status() == PARTIAL || (length >= 0 && length < minBytes);
        if (staysPlain || !Acceptance.takesGzip(call.headers("Accept-Encoding"))) {
            return varying;
        }
        if (isKnown || length < 0 || length > IN_MEMORY || call.method().equals("HEAD")) {
            return compressed(varying, new GzipBody(answer.body()));
        }
        var bytes = new ByteArrayOutputStream((int) length / 2);
        new GzipBody(answer.body()).writeTo(bytes);
        return bytes.size() < length ? compressed(varying, HttpBody.of(bytes.toByteArray())) : varying;
    }

    private boolean isWorthIt(String contentType) {
        var type = HttpText.withoutParameters(contentType);
        return (type.startsWith("text/") && !type.equals("text/event-stream")) || TYPES.contains(type)
                || type.endsWith("+json") || type.endsWith("+xml") || moreTypes.contains(type);
    }

    private static HttpAnswer compressed(HttpAnswer answer, HttpBody body) {
        var headers = new ArrayList<HttpAnswer.Header>();
        for (var header : answer.headers()) {
            if (header.name().equalsIgnoreCase("ETag") && header.value().startsWith("\"")) {
                // The bytes differ from those that the tag stands for, so it stands for the content only.
                headers.add(new HttpAnswer.Header("ETag", "W/" + header.value()));
            } else if (!header.name().equalsIgnoreCase("Accept-Ranges")) {
                headers.add(header);
            }
        }
        if (answer.status() != NOT_MODIFIED) {
            headers.add(new HttpAnswer.Header("Content-Encoding", "gzip"));
        }
        return new HttpAnswer(answer.status(), List.copyOf(headers), body);
    }
}
