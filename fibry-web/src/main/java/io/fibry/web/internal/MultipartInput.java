package io.fibry.web.internal;

import io.fibry.internal.net.BlockInput;
import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.web.MultipartOptions;
import io.fibry.web.MultipartPart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Splits content into its parts (RFC 2046, 5.1.1). Where readers could find different parts in the same bytes, the
 * content is refused.
 *
 * <p>The buffer begins with a line end that the client has not sent, so that the first boundary looks like the others.
 * What comes before the first boundary is skipped, up to a limit.
 *
 * <p>A delimiter has a CR in its first place alone, so the search for one never goes back, and is not repeated if a
 * reader takes the content byte by byte.
 */
public final class MultipartInput {
    private static final int BUFFER = 16 * 1024;
    /** Of one part. */
    private static final int MOST_HEADERS = 20;
    private static final int MOST_HEADER_BYTES = 8 * 1024;
    private static final int MOST_PREAMBLE = 1_024;

    private final InputStream in;
    private final MultipartOptions options;
    /** A line end, two hyphens and the boundary. */
    private final byte[] delimiter;
    private final byte[] buffer = new byte[BUFFER];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int at;
    private int end;
    /** Up to here the buffer has content of the part, if this is beyond {@code at}. */
    private int clear;
    private int parts;
    private @Nullable Content current;
    private boolean ended;

    private MultipartInput(InputStream in, MultipartOptions options, String boundary) {
        this.in = in;
        this.options = options;
        delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        buffer[0] = '\r';
        buffer[1] = '\n';
        end = 2;
    }

    /**
     * Begins to read the content of a request.
     *
     * @param call the request
     * @param options the limits
     * @return the parts of its content
     */
    public static MultipartInput of(HttpCall call, MultipartOptions options) {
        return new MultipartInput(call.body(), options,
                FormHeader.boundary(call.header("Content-Type").orElse("")));
    }

    /**
     * Skips the rest of the part before, and returns the next one.
     *
     * @return the next part; empty at the end of the form
     * @throws IOException if the content cannot be read
     */
    public Optional<MultipartPart> next() throws IOException {
        if (ended) {
            return Optional.empty();
        }
        var before = current;
        if (before == null) {
            new Content(MOST_PREAMBLE, 400, "the content does not begin with its boundary").skipRest();
        } else {
            before.skipRest();
        }
        if (isLast()) {
            ended = true;
            return Optional.empty();
        }
        if (++parts > options.parts()) {
            throw new HttpProblem(413, "there are more than " + options.parts() + " parts");
        }
        var headers = headers();
        var content = new Content(options.partBytes(), 413,
                "a part is longer than " + options.partBytes() + " bytes");
        current = content;
        return Optional.of(FormPart.of(headers, content));
    }

    /** Reads the rest of the line of a boundary, and tells whether it is the last one. */
    private boolean isLast() throws IOException {
        var first = read();
        if (first == '-') {
            if (read() != '-') {
                throw malformed("a boundary is followed by other bytes");
            }
            return true;
        }
        while (first == ' ' || first == '\t') {
            first = read();
        }
        if (first != '\r' || read() != '\n') {
            throw malformed("a boundary is followed by other bytes");
        }
        return false;
    }

    private Map<String, String> headers() throws IOException {
        var headers = new LinkedHashMap<String, String>();
        var left = MOST_HEADER_BYTES;
        for (var line = line(left); !line.isEmpty(); line = line(left)) {
            left -= line.length();
            var colon = line.indexOf(':');
            if (colon <= 0 || !HttpText.isToken(line, colon) || headers.size() == MOST_HEADERS) {
                throw malformed("the headers of a part are not well formed, or too many");
            }
            if (headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip()) != null) {
                throw malformed("a part has a header twice");
            }
        }
        return headers;
    }

    private String line(int most) throws IOException {
        line.reset();
        for (var b = read(); b != '\r'; b = read()) {
            if (line.size() >= most) {
                throw malformed("the headers of a part are too long");
            }
            if (HttpText.isControl(b)) {
                throw malformed("the headers of a part have control characters");
            }
            line.write(b);
        }
        if (read() != '\n') {
            throw malformed("a line of a header does not end");
        }
        return HttpText.utf8(line.toByteArray(), cause -> malformed("the headers of a part are not UTF-8"));
    }

    private int read() throws IOException {
        if (at == end && !fill(1)) {
            throw malformed("the content ends before its last boundary");
        }
        return buffer[at++] & 0xFF;
    }

    /** Reads until there are so many bytes in the buffer. Returns false if the content ends before. */
    private boolean fill(int wanted) throws IOException {
        if (end - at >= wanted) {
            return true;
        }
        System.arraycopy(buffer, at, buffer, 0, end - at);
        end -= at;
        at = 0;
        clear = 0;
        while (end < wanted) {
            var count = in.read(buffer, end, buffer.length - end);
            if (count < 0) {
                return false;
            }
            end += count;
        }
        return true;
    }

    static HttpProblem malformed(String how) {
        return new HttpProblem(400, "the form is not well formed: " + how);
    }

    /** What comes up to the next boundary. */
    private final class Content extends BlockInput {
        private final int status;
        private final String tooLong;
        private long left;
        private boolean over;

        Content(long most, int status, String tooLong) {
            this.status = status;
            this.tooLong = tooLong;
            left = most;
        }

        @Override
        protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
            var count = Math.min(ready(), length);
            if (count > 0) {
                System.arraycopy(buffer, at, bytes, offset, count);
                pass(count);
            }
            return count;
        }

        void skipRest() throws IOException {
            for (var count = ready(); count > 0; count = ready()) {
                pass(count);
            }
        }

        /** Counts bytes of the content that have been read. */
        private void pass(int count) {
            left -= count;
            if (left < 0) {
                throw new HttpProblem(status, tooLong);
            }
            at += count;
        }

        /** Returns how many bytes of content are in the buffer; reads if there are none. At the boundary, skips it: -1. */
        private int ready() throws IOException {
            if (over) {
                return -1;
            }
            while (clear <= at) {
                clear = delimiterFrom(at);
                if (clear > at) {
                    break;
                }
                if (end - at >= delimiter.length) {
                    at += delimiter.length;
                    over = true;
                    return -1;
                }
                if (!fill(end - at + 1)) {
                    throw malformed("the content ends before its last boundary");
                }
            }
            return clear - at;
        }
    }

    /** Returns the first place in the buffer where a delimiter begins, or may begin; the end of the buffer if there is none. */
    private int delimiterFrom(int from) {
        var next = from;
        while (next < end && !(buffer[next] == '\r' && mayBeDelimiter(next))) {
            next++;
        }
        return next;
    }

    private boolean mayBeDelimiter(int from) {
        var length = Math.min(delimiter.length, end - from);
        return Arrays.equals(buffer, from, from + length, delimiter, 0, length);
    }
}
