package io.fibry.internal.net;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Sends the answer to one request. */
final class HttpReply {
    private static final int DISCARDED_BYTES = 1 << 20;
    /** With these headers pages of other sites see what has failed. */
    private static final String OF_SITES = "Access-Control-";

    private final ServedExchange exchange;
    private final HeaderList headers;
    private final HttpPlace place;

    HttpReply(ServedExchange exchange, HttpPlace place) {
        this.exchange = exchange;
        this.place = place;
        headers = exchange.answerHeaders();
    }

    void text(String text) throws Exception {
        if (headers.first("Content-Type") == null) {
            headers.put("Content-Type", "text/plain; charset=utf-8");
        }
        body(200, HttpBody.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    void answer(HttpAnswer answer) throws Exception {
        answer.headers().forEach(header -> headers.put(header.name(), header.value()));
        body(answer.status(), answer.body());
    }

    private void body(int status, HttpBody body) throws Exception {
        var length = body.length();
        var hasNone = ServedExchange.hasNoContent(status);
        if (exchange.isHead() || hasNone || length == 0) {
            if (exchange.isHead() && length >= 0 && !hasNone) {
                headers.set("Content-Length", Long.toString(length));
            }
            exchange.sendResponseHeaders(status, -1);
        } else if (length > 0) {
            exchange.sendResponseHeaders(status, length);
            body.writeTo(exchange.responseBody());
            exchange.responseBody().close();
        } else {
            exchange.sendResponseHeaders(status, 0); // 0 means that the content is sent in chunks
            place.call(exchange, () -> {
                body.writeTo(exchange.responseBody());
                return true;
            });
            exchange.responseBody().close();
        }
    }

    /** Refuses a request that the server cannot or will not read to its end. */
    void refuse(int status, String text) throws IOException {
        headers.set("Connection", "close");
        problem(status, text);
        var content = exchange.comingContent();
        if (content != null) {
            try {
                content.discard(DISCARDED_BYTES); // a client that is still sending gets to read its answer
            } catch (IOException | HttpProblem brokenOff) {
                // the answer has been sent, and the connection ends after it
            }
        }
    }

    /** Returns whether a header belongs to an answer whatever its content is. */
    private static boolean isOfAnyAnswer(String name) {
        return name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive")
                || name.equalsIgnoreCase("Vary")
                || name.regionMatches(true, 0, OF_SITES, 0, OF_SITES.length());
    }

    /** Answers with an error. */
    void problem(int status, String text) throws IOException {
        headers.keepOnly((name, value) -> isOfAnyAnswer(name));
        headers.put("Content-Type", "text/plain; charset=utf-8");
        if (status == 503) {
            headers.put("Retry-After", "1");
        }
        var bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.responseBody().write(bytes);
        exchange.responseBody().close();
    }
}
