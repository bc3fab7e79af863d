package io.fibry.examples;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** What the lines before the empty line of an HTTP request ask for. A body is not expected. */
enum RequestHead {
    /** An answer; there will be another request on this connection. */
    KEEP_ALIVE,
    /** An answer and the end of the connection. */
    LAST,
    /** Nothing: the client has closed its side. */
    NONE,
    /** More than anybody needs to say hello. */
    TOO_LONG;

    private static final int MAX_BYTES = 8_192;

    /** Reads up to the empty line: {@code \n \r \n}, as the end of the last line and the empty one. */
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
            started |= !line.isEmpty(); // empty lines before a request mean nothing
            line.setLength(0);
        }
        return TOO_LONG;
    }

    /** HTTP/1.1 keeps connections unless told otherwise; HTTP/1.0, which ab speaks, only when told so. */
    private static boolean keepAlive(String line, boolean before) {
        return switch (line.replace(" ", "")) {
            case "connection:keep-alive" -> true;
            case "connection:close" -> false;
            default -> before || line.endsWith(" http/1.1");
        };
    }
}
