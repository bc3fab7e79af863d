package io.fibry.internal.net;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.util.List;

/**
 * The head of a request. A head that was read by this class frames its content without doubt.
 *
 * @param method a token
 * @param target the target of the request, without spaces
 * @param protocol the version
 * @param headers the headers
 * @param contentLength the length of the content, or {@link #UNKNOWN}
 */
public record HttpHead(String method, String target, String protocol, HeaderList headers,
        long contentLength) {
    /** Stands for content that says itself where it ends. */
    public static final long UNKNOWN = -1;
    /** The version that most clients use. */
    public static final String HTTP_1_1 = "HTTP/1.1";
    static final String HTTP_1_0 = "HTTP/1.0";
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
    static HttpHead read(HttpInput in, HttpOptions limits) throws IOException {
        var longest = (long) limits.headerBytes() + FIRST_LINE;
        var first = in.line(longest, 414);
        if (first.isEmpty()) {
            first = in.line(longest, 414); // some clients send a line end after their content
        }
        var afterMethod = first.indexOf(' ');
        var afterTarget = first.indexOf(' ', afterMethod + 1);
        if (afterMethod < 0 || afterTarget <= afterMethod + 1 || !HttpText.isToken(first, afterMethod)) {
            throw new HttpProblem(400, "a request begins with method, target and version");
        }
        var protocol = version(first, afterTarget + 1);
        var target = first.substring(afterMethod + 1, afterTarget);
        var headers = in.headers(limits.headerBytes() + (long) LINE * limits.headerCount() + LINE,
                limits.headerCount());
        return new HttpHead(first.substring(0, afterMethod), target, protocol, headers,
                contentLength(headers, protocol.equals(HTTP_1_0)));
    }

    private static String version(String line, int from) throws NotHttpException {
        if (line.startsWith(HTTP_1_1, from) && line.length() == from + HTTP_1_1.length()) {
            return HTTP_1_1;
        }
        if (line.startsWith(HTTP_1_0, from) && line.length() == from + HTTP_1_0.length()) {
            return HTTP_1_0;
        }
        if (line.indexOf('/') < 0 && line.indexOf('*') < 0) {
            throw new NotHttpException(); // there is no path and no version
        }
        throw new HttpProblem(400, "this is no request of HTTP/1.1 or HTTP/1.0");
    }

    private static long contentLength(HeaderList headers, boolean isOld) {
        var length = headers.first("Content-Length");
        var encoding = headers.first("Transfer-Encoding");
        if (length == null && encoding == null) {
            return 0;
        }
        List<String> all = headers.all(length == null ? "Transfer-Encoding" : "Content-Length");
        var isClear = all.size() == 1 && (encoding == null
                ? HttpText.isLength(all.getFirst())
                : length == null && encoding.equalsIgnoreCase("chunked") && !isOld);
        if (!isClear) {
            throw new HttpProblem(400, "the length of the content is not clear");
        }
        return encoding == null ? Long.parseLong(all.getFirst()) : UNKNOWN;
    }

    /** Tells whether the client uses HTTP/1.0. */
    boolean isOld() {
        return protocol.equals(HTTP_1_0);
    }

    /** Tells whether the connection ends after the answer. */
    boolean closes() {
        return isOld() ? !headers.lists("Connection", "keep-alive") : headers.lists("Connection", "close");
    }

    /** Tells whether the client sends its content only after it is asked to. */
    boolean waitsForGo() {
        return !isOld() && headers.lists("Expect", "100-continue");
    }
}
