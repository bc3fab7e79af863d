package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The head of a request of HTTP/1.1 or HTTP/1.0. A head that can be read in this class frames its content without
 * doubt.
 *
 * @param method a token
 * @param target the target of the request, without spaces
 * @param protocol the version
 * @param headers the headers
 * @param contentLength the length of the content, or {@link #IN_CHUNKS}
 */
record Http1Head(String method, String target, String protocol, Headers headers, long contentLength) {
    /** Stands for content in chunks. */
    static final long IN_CHUNKS = -1;
    /** The length of a line without its names and values. */
    private static final int LINE = 4;
    private static final int FIRST_LINE = 1_024;

    /** Thrown if the client uses another protocol and would not understand an answer. */
    static final class NotHttpException extends IOException {
        private static final long serialVersionUID = 1L;

        NotHttpException() {
            super("this is not HTTP");
        }
    }

    /** Reads the next head. Throws a problem with a status if the request must be refused. */
    static Http1Head read(Http1Lines in, HttpOptions limits) throws IOException {
        var longest = (long) limits.headerBytes() + FIRST_LINE;
        var first = in.line(longest, 414);
        if (first.isEmpty()) {
            first = in.line(longest, 414); // some clients send a line end after their content
        }
        var afterMethod = first.indexOf(' ');
        var afterTarget = first.indexOf(' ', afterMethod + 1);
        if (afterMethod < 0 || afterTarget <= afterMethod + 1 || !Http1Lines.isToken(first, afterMethod)) {
            throw new HttpProblem(400, "a request begins with method, target and version");
        }
        var protocol = first.substring(afterTarget + 1);
        if (!first.contains("/") && !first.contains("*")) {
            throw new NotHttpException(); // there is no path and no version
        }
        if (!protocol.equals(Incoming.HTTP_1_1) && !protocol.equals(Incoming.HTTP_1_0)) {
            throw new HttpProblem(400, "this is no request of HTTP/1.1 or HTTP/1.0");
        }
        var target = first.substring(afterMethod + 1, afterTarget);
        var headers = in.headers(limits.headerBytes() + (long) LINE * limits.headerCount() + LINE,
                limits.headerCount());
        return new Http1Head(first.substring(0, afterMethod), target, protocol, headers,
                contentLength(headers, protocol.equals(Incoming.HTTP_1_0)));
    }

    private static long contentLength(Headers headers, boolean isOld) {
        var lengths = headers.getOrDefault("Content-Length", List.of());
        var encodings = headers.getOrDefault("Transfer-Encoding", List.of());
        var isClear = encodings.isEmpty()
                ? lengths.isEmpty() || (lengths.size() == 1 && lengths.getFirst().matches("[0-9]{1,18}"))
                : lengths.isEmpty() && encodings.size() == 1
                        && encodings.getFirst().equalsIgnoreCase("chunked")
                        && !isOld;
        if (!isClear) {
            throw new HttpProblem(400, "the length of the content is not clear");
        }
        return encodings.isEmpty() ? lengths.isEmpty() ? 0 : Long.parseLong(lengths.getFirst()) : IN_CHUNKS;
    }

    /** Tells whether the client uses HTTP/1.0. */
    boolean isOld() {
        return protocol.equals(Incoming.HTTP_1_0);
    }

    /** Tells whether the connection ends after the answer. */
    boolean closes() {
        return isOld() ? !has("Connection", "keep-alive") : has("Connection", "close");
    }

    /** Tells whether the client sends its content only after it is asked to. */
    boolean waitsForGo() {
        return !isOld() && has("Expect", "100-continue");
    }

    /** Tells whether a header that is a list of words contains the given word. */
    boolean has(String header, String word) {
        var lines = headers.get(header);
        return lines != null && lines.stream().flatMap(line -> Arrays.stream(line.split(",")))
                .anyMatch(each -> each.strip().equalsIgnoreCase(word));
    }
}
