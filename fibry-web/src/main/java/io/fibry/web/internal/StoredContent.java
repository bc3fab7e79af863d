package io.fibry.web.internal;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Content that has a length and a mark of its version, and the answers to requests for it or for a part of it (RFC 9110,
 * 13 and 14).
 *
 * @param type the type of the content
 * @param length the number of bytes
 * @param tag the mark of the version, with its quotes
 * @param changed when the content was changed last, if that is known
 * @param cacheControl the value of the header {@code Cache-Control}
 * @param source makes the content of answers
 */
public record StoredContent(String type, long length, String tag, Optional<Instant> changed,
        String cacheControl,
        Source source) {
    private static final int PARTIAL = 206;
    private static final int NOT_MODIFIED = 304;
    private static final int FAILED = 412;
    private static final int UNSATISFIABLE = 416;

    /** Makes the content of an answer. */
    @FunctionalInterface
    public interface Source {
        /**
         * Returns a part of the content.
         *
         * @param from the first byte
         * @param count the number of bytes, at least one
         * @return the part
         */
        HttpBody part(long from, long count);
    }

    /** A part of the content that a client wants; zero bytes if the content does not have that part. */
    private record Part(long from, long count) {
    }

    /** Drops what is finer than a second from the time, since headers do not have it. */
    public StoredContent {
        changed = changed.map(time -> time.truncatedTo(ChronoUnit.SECONDS));
    }

    /**
     * Returns the path of the file that a request asks for. No part of it is hidden, or leads elsewhere. Routes, and thus
     * filters, take an encoded slash for a character of a name, so such a path stands for no file.
     *
     * @param call the request
     * @return the path, without a slash at its start
     */
    public static String file(HttpCall call) {
        var path = call.parameter("path");
        var file = path.isEmpty() || path.endsWith("/") ? path + "index.html" : path;
        if (call.path().toLowerCase(Locale.ROOT).contains("%2f")
                || Arrays.stream(file.split("/", -1)).anyMatch(StoredContent::isRefused)) {
            throw nothing();
        }
        return file;
    }

    private static boolean isRefused(String part) {
        return part.isEmpty() || part.startsWith(".") || part.endsWith(".") || part.endsWith(" ")
                || part.chars().anyMatch(c -> c < ' ' || c == '\\' || c == ':' || c == 0x7F);
    }

    /**
     * Returns the refusal of a request for what is not there.
     *
     * @return a problem with status 404
     */
    public static HttpProblem nothing() {
        return new HttpProblem(404, "there is nothing here");
    }

    /**
     * Answers a request for the content.
     *
     * @param call the request, for GET or HEAD
     * @return the answer
     */
    public HttpAnswer answer(HttpCall call) {
        if (isPreconditionBroken(call)) {
            return described(HttpAnswer.empty(FAILED));
        }
        if (isKnown(call)) {
            return described(HttpAnswer.empty(NOT_MODIFIED));
        }
        var part = wanted(call);
        if (part == null) {
            return described(HttpAnswer.stream(type,
                    length == 0 ? HttpBody.of(new byte[0]) : source.part(0, length)))
                    .header("Accept-Ranges", "bytes");
        }
        return part.count == 0
                ? described(HttpAnswer.text("there is no such part\n").status(UNSATISFIABLE))
                        .header("Content-Range", "bytes */" + length)
                : described(HttpAnswer.stream(type, source.part(part.from, part.count)).status(PARTIAL))
                        .header("Accept-Ranges", "bytes").header("Content-Range",
                                "bytes " + part.from + "-" + (part.from + part.count - 1) + "/" + length);
    }

    private HttpAnswer described(HttpAnswer answer) {
        var described = answer.header("ETag", tag).header("Cache-Control", cacheControl)
                .header("X-Content-Type-Options", "nosniff");
        return changed.isPresent() ? described.header("Last-Modified", HttpText.DATES.format(changed.get()))
                : described;
    }

    private boolean isPreconditionBroken(HttpCall call) {
        var match = call.headers("If-Match");
        if (!match.isEmpty()) {
            return !lists(match, false);
        }
        var since = call.header("If-Unmodified-Since").flatMap(StoredContent::time);
        return since.isPresent() && changed.isPresent() && changed.get().isAfter(since.get());
    }

    private boolean isKnown(HttpCall call) {
        var none = call.headers("If-None-Match");
        if (!none.isEmpty()) {
            return lists(none, true);
        }
        var since = call.header("If-Modified-Since").flatMap(StoredContent::time);
        return since.isPresent() && changed.isPresent() && !changed.get().isAfter(since.get());
    }

    /** Tells whether headers list the tag of this version. */
    private boolean lists(List<String> headers, boolean weakly) {
        return headers.stream().flatMap(header -> Arrays.stream(header.split(",", -1))).map(String::strip)
                .anyMatch(
                        each -> each.equals("*") || each.equals(tag) || (weakly && each.equals("W/" + tag)));
    }

    /** Returns the part that the client wants; null if it wants all. Of several parts at once it gets all, too. */
    private @Nullable Part wanted(HttpCall call) {
        var ranges = call.headers("Range");
        if (ranges.size() != 1 || !call.method().equals("GET")
                || !call.header("If-Range").map(this::isThis).orElse(true)
                || !ranges.getFirst().matches("bytes *= *(\\d{1,18} *- *\\d{0,18}|- *\\d{1,18})")) {
            return null;
        }
        var range = ranges.getFirst().substring(ranges.getFirst().indexOf('=') + 1);
        var from = range.substring(0, range.indexOf('-')).strip();
        var to = range.substring(range.indexOf('-') + 1).strip();
        if (from.isEmpty()) {
            var count = Math.min(length, Long.parseLong(to));
            return new Part(length - count, count);
        }
        var first = Long.parseLong(from);
        var last = to.isEmpty() ? Long.MAX_VALUE : Long.parseLong(to);
        if (last < first) {
            return null; // this is no range
        }
        return new Part(first, Math.max(0, Math.min(last, length - 1) - first + 1));
    }

    /** Tells whether a tag or a date stands for this version. */
    private boolean isThis(String version) {
        return version.equals(tag)
                || (changed.isPresent() && time(version).map(changed.get()::equals).orElse(false));
    }

    /** Returns the time of a date; empty if it is not well formed, and then the header has no effect. */
    private static Optional<Instant> time(String date) {
        try {
            return Optional.of(HttpText.DATES.parse(date, Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
