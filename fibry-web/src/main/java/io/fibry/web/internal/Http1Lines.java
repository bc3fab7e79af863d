package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import io.fibry.net.HttpProblem;
import io.helidon.common.buffers.DataReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The lines of HTTP/1.1: those of heads, and of trailers. They end with CR LF and nothing else, and contain no control
 * characters except tabs. A server that accepts more may read requests in another way than the proxy in front of it.
 */
final class Http1Lines {
    private static final int START = 256;
    private static final char DELETE = 0x7F;

    private final DataReader in;
    private byte[] line = new byte[START];
    private int length;

    Http1Lines(DataReader in) {
        this.in = in;
    }

    /** Reads a line. A line that is longer than the limit is refused with the given status. */
    String line(long most, int statusIfLonger) {
        length = 0;
        for (var b = in.read(); b != '\r'; b = in.read()) {
            if (length >= most) {
                throw new HttpProblem(statusIfLonger, "a line of the request is too long");
            }
            add(checked(b));
        }
        endOfLine();
        return new String(line, 0, length, StandardCharsets.ISO_8859_1);
    }

    private void add(byte b) {
        if (length == line.length) {
            line = Arrays.copyOf(line, length * 2);
        }
        line[length++] = b;
    }

    /** Checks that a byte may be part of a line. */
    static byte checked(byte b) {
        if (b >= 0 && isControl((char) b)) {
            throw new HttpProblem(400,
                    "lines of a request must end with CR LF, and be without control characters");
        }
        return b;
    }

    /** Tells whether a character may not be part of a header: control characters except tabs. */
    static boolean isControl(char c) {
        return (c < ' ' && c != '\t') || c == DELETE;
    }

    /** Reads the LF that must follow a CR. */
    void endOfLine() {
        if (in.read() != '\n') {
            throw new HttpProblem(400, "a CR must be followed by LF");
        }
    }

    /** Reads header lines and the empty line after them, up to a number of bytes and lines. */
    Headers headers(long mostBytes, int mostLines) {
        var headers = new Headers();
        var left = mostBytes;
        var count = 0;
        for (var next = line(left, 431); !next.isEmpty(); next = line(left, 431)) {
            left -= next.length();
            if (++count > mostLines) {
                throw new HttpProblem(431, "the headers are too long, or too many");
            }
            add(headers, next);
        }
        return headers;
    }

    private static void add(Headers headers, String line) {
        var colon = line.indexOf(':');
        if (colon < 0 || !isToken(line, colon)) {
            // This includes a line that begins with a space, and a space before the colon.
            throw new HttpProblem(400, "a header must be a name, a colon and a value, on one line");
        }
        headers.add(line.substring(0, colon), trimmed(line, colon + 1));
    }

    private static String trimmed(String line, int from) {
        var start = from;
        var end = line.length();
        while (start < end && isSpace(line.charAt(start))) {
            start++;
        }
        while (start < end && isSpace(line.charAt(end - 1))) {
            end--;
        }
        return line.substring(start, end);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /** Tells whether the characters before the given index are a token (RFC 9110, 5.6.2). */
    static boolean isToken(String text, int count) {
        for (var i = 0; i < count; i++) {
            var c = text.charAt(i);
            if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
                    && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
                return false;
            }
        }
        return count > 0;
    }
}
