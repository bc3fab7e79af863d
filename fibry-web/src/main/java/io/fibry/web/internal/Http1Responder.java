package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers in HTTP/1.1. Helidon's own way would not send the head before there is content, which event streams need, and
 * ends them when nothing is flushed.
 */
final class Http1Responder implements Responder {
    private static final int BUFFER = 8_192;
    private static final DateTimeFormatter DATE = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private final OutputStream out;
    private final boolean clientCloses;
    private final Instant now;
    private boolean closes;
    private @Nullable Body body;

    Http1Responder(OutputStream out, boolean clientCloses, Instant now) {
        this.out = out;
        this.clientCloses = clientCloses;
        this.now = now;
    }

    @Override
    public OutputStream begin(int status, Headers headers, long length) throws IOException {
        var head = new StringBuilder("HTTP/1.1 ").append(status).append(' ').append(phrase(status))
                .append("\r\n");
        if (!headers.containsKey("Date")) {
            line(head, "Date", DATE.format(now));
        }
        headers.forEach((name, values) -> values.forEach(value -> line(head, name, value)));
        closes = clientCloses || "close".equalsIgnoreCase(headers.getFirst("Connection"));
        if (length > 0) {
            line(head, "Content-Length", Long.toString(length));
        } else if (length == 0) {
            line(head, "Transfer-Encoding", "chunked");
        } else if (!headers.containsKey("Content-Length") && status >= 200 && status != 204
                && status != 304) {
            line(head, "Content-Length", "0");
        }
        if (clientCloses && !headers.containsKey("Connection")) {
            line(head, "Connection", "close");
        }
        var whole = new Body(length);
        body = whole;
        whole.head(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        return whole;
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static String phrase(int status) {
        return switch (status) {
            case 101 -> "Switching Protocols";
            case 200 -> "OK";
            case 201 -> "Created";
            case 204 -> "No Content";
            case 304 -> "Not Modified";
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 500 -> "Internal Server Error";
            case 503 -> "Service Unavailable";
            default -> ""; // nobody reads it
        };
    }

    @Override
    public void finish() throws IOException {
        if (body == null) {
            throw new IOException("there was no answer");
        }
        body.finish();
    }

    @Override
    public boolean closes() {
        return closes;
    }

    /** The content, collected to pieces of a good size; the head is part of the first one. */
    private final class Body extends OutputStream {
        private final boolean inChunks;
        private long left;
        private final byte[] buffer = new byte[BUFFER];
        private int filled;
        private boolean closed;

        Body(long length) {
            inChunks = length == 0;
            left = inChunks ? Long.MAX_VALUE : Math.max(0, length);
        }

        void head(byte[] head) throws IOException {
            if (left == 0 || head.length > BUFFER / 2 || inChunks) {
                out.write(head);
            } else {
                System.arraycopy(head, 0, buffer, 0, head.length);
                filled = head.length;
            }
            closed = left == 0;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[]{(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (length > left || (closed && length > 0)) {
                throw new IOException("more content than was announced");
            }
            left -= length;
            if (length > buffer.length - filled) {
                flush();
            }
            if (length > buffer.length) {
                send(bytes, offset, length);
            } else {
                System.arraycopy(bytes, offset, buffer, filled, length);
                filled += length;
            }
        }

        @Override
        public void flush() throws IOException {
            if (filled > 0) {
                var count = filled;
                filled = 0;
                send(buffer, 0, count);
            }
        }

        private void send(byte[] bytes, int offset, int length) throws IOException {
            if (!inChunks) {
                out.write(bytes, offset, length);
                return;
            }
            var start = (Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            var chunk = new byte[start.length + length + 2];
            System.arraycopy(start, 0, chunk, 0, start.length);
            System.arraycopy(bytes, offset, chunk, start.length, length);
            chunk[chunk.length - 2] = '\r';
            chunk[chunk.length - 1] = '\n';
            out.write(chunk);
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            flush();
            if (!inChunks && left > 0) {
                throw new IOException("less content than was announced");
            }
            closed = true;
            if (inChunks) {
                out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }

        void finish() throws IOException {
            if (!closed) {
                throw new IOException("the answer is not whole");
            }
        }
    }
}
