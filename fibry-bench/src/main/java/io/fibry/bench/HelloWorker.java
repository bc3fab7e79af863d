package io.fibry.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Workers that understand as much HTTP as {@code ab} and {@code wrk} need. */
final class HelloWorker {
    private static final byte[] LAST = ascii("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nHello!");
    private static final byte[] KEEP =
            ascii("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\nHello!");

    private HelloWorker() {
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The article's worker: one request, read byte by byte, and the end. */
    @SuppressWarnings("EmptyBlockTag")
    static void once(Socket conn) throws IOException {
        try (var is = conn.getInputStream(); var os = conn.getOutputStream()) {
            while (is.read() != '\n' || is.read() != '\r' || is.read() != '\n') {
                // up to the empty line
            }
            os.write(LAST);
        }
    }

    /**
     * The same worker, but it ends when the client ends. On a bare socket the loop of the article would run for ever.
     */
    static void onceOrEnd(Socket conn) throws IOException {
        try (var is = conn.getInputStream(); var os = conn.getOutputStream()) {
            while (true) {
                var next = is.read();
                if (next < 0) {
                    return;
                }
                if (next == '\n' && is.read() == '\r' && is.read() == '\n') {
                    os.write(LAST);
                    return;
                }
            }
        }
    }

    /** Answers one request after another. */
    static void keepAlive(Socket conn) throws IOException {
        try (var in = new BufferedInputStream(conn.getInputStream(), 1_024);
                var out = conn.getOutputStream()) {
            var lineIsEmpty = false;
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next == '\n' && lineIsEmpty) {
                    out.write(KEEP);
                }
                lineIsEmpty = next == '\n' || (next == '\r' && lineIsEmpty);
            }
        }
    }
}
