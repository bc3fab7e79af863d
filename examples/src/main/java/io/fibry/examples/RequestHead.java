package io.fibry.examples;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** What the client expects after the head of an HTTP request. A request with a body is not expected. */
enum RequestHead {
    /** The client expects an answer, and sends another request on this connection. */
    KEEP_ALIVE,
    /** The client expects an answer and the end of the connection. */
    LAST,
    /** The client expects nothing, since it has closed its side. */
    NONE,
    /** The longest head that is accepted. */
    TOO_LONG;

    private static final int MAX_BYTES = 8_192;

    /** Reads up to the empty line: {@code \n \r \n} is the end of the last line and the empty line. */
    static RequestHead read(InputStream in) throws IOException {
        var line = new StringBuilder();
        boolean started = false;
        boolean keepAlive = false;
        for (int bytes = 0; bytes < MAX_BYTES; bytes++) {
            int next = in.read();
            if (next < 0) {
                return NONE;
            }
            if (next == '\r') {
                continue;
            }
            if (next != '\n') {
                line.append((char) next);
                continue;
            }
            if (line.isEmpty() && started) {
                return keepAlive ? KEEP_ALIVE : LAST;
            }
            keepAlive = keepAlive(line.toString().toLowerCase(Locale.ROOT), keepAlive);
            started |= !line.isEmpty(); // empty lines before a request have no meaning
            line.setLength(0);
        }
        return TOO_LONG;
    }

    /**
     * HTTP/1.1 keeps a connection unless a header forbids it. HTTP/1.0, which ab uses, keeps it only if a header asks
     * for it.
     */
    private static boolean keepAlive(String line, boolean before) {
        return switch (line.replace(" ", "")) {
            case "connection:keep-alive" -> true;
            case "connection:close" -> false;
            default -> before || line.endsWith(" http/1.1");
        };
    }
}
