package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Sends the answer to one request. */
final class HttpReply {
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final int DISCARDED_BYTES = 1 << 20;
    /** With these headers pages of other sites see what has failed. */
    private static final String OF_SITES = "Access-Control-";

    private final HttpExchange exchange;
    private final HttpTraffic traffic;
    private final HttpOutput out;
    private final HttpPlace place;
    private final HttpWork work;

    HttpReply(HttpExchange exchange, HttpTraffic traffic, HttpWork work, HttpPlace place) {
        this.exchange = exchange;
        this.traffic = traffic;
        this.out = new HttpOutput(exchange.getResponseBody(), traffic, work);
        this.place = place;
        this.work = work;
        exchange.setStreams(null, out);
    }

    boolean hasBegun() {
        return exchange.getResponseCode() != -1;
    }

    /** Returns whether the client has gone. */
    boolean isBroken() {
        return out.isBroken();
    }

    void text(String text) throws Exception {
        var headers = exchange.getResponseHeaders();
        if (headers.isEmpty() || !headers.containsKey("Content-Type")) {
            headers.set("Content-Type", "text/plain; charset=utf-8");
        }
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || isHead()) {
            body(200, HttpBody.of(bytes));
        } else {
            closeIfShort();
            out.answer(() -> exchange.sendResponseHeaders(200, bytes.length), bytes);
        }
    }

    private boolean isHead() {
        return exchange.getRequestMethod().equals("HEAD");
    }

    void answer(HttpAnswer answer) throws Exception {
        var headers = exchange.getResponseHeaders();
        for (var header : answer.headers()) {
            if (!header.name().equalsIgnoreCase("Content-Length")
                    && !header.name().equalsIgnoreCase("Transfer-Encoding")) { // the body determines these headers
                headers.add(header.name(), header.value());
            }
        }
        body(answer.status(), answer.body());
    }

    private void body(int status, HttpBody body) throws Exception {
        var length = body.length();
        if (isHead() || status == NO_CONTENT || status == NOT_MODIFIED) {
            if (length >= 0 && status != NO_CONTENT && status != NOT_MODIFIED) {
                exchange.getResponseHeaders().set("Content-Length", Long.toString(length));
            }
            head(status, -1);
        } else if (length == 0) {
            head(status, -1);
        } else if (length > 0) {
            head(status, length);
            body.writeTo(out);
            out.close();
        } else {
            head(status, 0); // 0 means that the content is sent in chunks
            place.call(work, () -> {
                body.writeTo(out);
                return true;
            });
            out.close();
        }
    }

    private void closeIfShort() {
        if (traffic.isShortOfFiles()) {
            exchange.getResponseHeaders().set("Connection", "close");
        }
    }

    private void head(int status, long length) throws IOException {
        closeIfShort();
        out.watch(() -> exchange.sendResponseHeaders(status, length));
    }

    /** Refuses a request that the server cannot or will not read to its end. */
    void refuse(int status, String text) throws IOException {
        exchange.getResponseHeaders().set("Connection", "close");
        problem(status, text, true);
    }

    /** Refuses a request whose content cannot be read. */
    void refuseWithoutReading(int status, String text) throws IOException {
        exchange.getResponseHeaders().set("Connection", "close");
        problem(status, text, false);
    }

    /** Answers with an error. */
    void problem(int status, String text) throws IOException {
        problem(status, text, false);
    }

    /** Returns whether a header belongs to an answer whatever its content is. */
    private static boolean isOfAnyAnswer(String name) {
        return name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive")
                || name.equalsIgnoreCase("Vary")
                || name.regionMatches(true, 0, OF_SITES, 0, OF_SITES.length());
    }

    private void problem(int status, String text, boolean discards) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.keySet().removeIf(name -> !isOfAnyAnswer(name));
        headers.set("Content-Type", "text/plain; charset=utf-8");
        if (status == 503) {
            headers.set("Retry-After", "1");
        }
        var bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        if (isHead()) {
            headers.set("Content-Length", Integer.toString(bytes.length));
            head(status, -1);
            return;
        }
        head(status, bytes.length);
        out.write(bytes);
        if (discards) {
            out.flush();
            var piece = work.piece();
            work.readsSince(traffic.tick(), piece);
            try {
                HttpBodyLimit.discard(exchange.getRequestBody(), DISCARDED_BYTES);
            } finally {
                work.readsSince(0, piece);
            }
        }
        out.close();
    }
}
