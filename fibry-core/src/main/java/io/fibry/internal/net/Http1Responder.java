package io.fibry.internal.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers in HTTP/1.1, also to clients of HTTP/1.0. If the length of the content is not known, a client of HTTP/1.1
 * gets chunks, and for a client of HTTP/1.0 the content ends with the connection.
 */
final class Http1Responder implements HttpResponder {
    private static final int BUFFER = 8_192;
    private static final int HEAD_CHARS = 256;
    private static final byte[] NOTHING = new byte[0];

    private final OutputStream out;
    private final boolean isOld;
    private final boolean isHead;
    private final String date;
    private final ServedCall.Step openEnd;
    private boolean closes;
    /** Set once, by the handler, when the answer begins. */
    private volatile @Nullable Body body;

    /** Makes the answer. The step is taken before an answer begins whose content ends with the connection. */
    Http1Responder(OutputStream out, boolean isOld, boolean closes, boolean isHead, String date,
            ServedCall.Step openEnd) {
        this.out = out;
        this.openEnd = openEnd;
        this.isOld = isOld;
        this.closes = closes;
        this.isHead = isHead;
        this.date = date;
    }

    boolean hasBegun() {
        return body != null;
    }

    /** Returns whether an answer has begun whose content ends with the connection. */
    boolean isOpenEnded() {
        var begun = body;
        return begun != null && begun.isOpenEnded && isOld;
    }

    @Override
    public OutputStream begin(int status, HeaderList headers, long length) throws IOException {
        if (length == 0 && isOld) {
            openEnd.take();
        }
        var head = new StringBuilder(HEAD_CHARS).append("HTTP/1.1 ").append(status).append(' ')
                .append(HttpPhrases.of(status)).append("\r\n");
        headers.forEach((name, value) -> line(head, name, value));
        if (headers.first("Date") == null) {
            line(head, "Date", date);
        }
        var connection = headers.first("Connection");
        closes |= "close".equalsIgnoreCase(connection) || (isOld && length == 0);
        if (length > 0) {
            line(head, "Content-Length", Long.toString(length));
        } else if (length == 0 && !isOld) {
            line(head, "Transfer-Encoding", "chunked");
        } else if (length < 0 && !isHead && headers.first("Content-Length") == null
                && !ServedCall.hasNoContent(status)) {
            line(head, "Content-Length", "0");
        }
        if (connection == null && (closes || isOld)) {
            line(head, "Connection", closes ? "close" : "keep-alive");
        }
        var whole = new Body(length);
        body = whole;
        whole.head(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        return whole;
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    @Override
    public void finish() throws IOException {
        var begun = body;
        if (begun == null || !begun.closed) {
            throw new IOException(begun == null ? "there was no answer" : "the answer is not whole");
        }
    }

    @Override
    public boolean closes() {
        return closes;
    }

    /** The content. It is collected to pieces of a useful size, and the first piece begins with the head. */
    private final class Body extends OutputStream {
        private final boolean inChunks;
        private final boolean isOpenEnded;
        private long left;
        private byte[] buffer = NOTHING;
        private int filled;
        private boolean closed;

        Body(long length) {
            inChunks = length == 0 && !isOld;
            isOpenEnded = length == 0;
            left = isOpenEnded ? Long.MAX_VALUE : Math.max(0, length);
        }

        void head(byte[] head) throws IOException {
            if (left == 0 || head.length > BUFFER / 2 || isOpenEnded) {
                out.write(head);
            } else {
                buffer = new byte[head.length + (int) Math.min(BUFFER - head.length, left)]; // a short answer fits
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
            if (buffer.length == 0) {
                buffer = new byte[(int) Math.min(BUFFER, left + length)];
            }
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
            if (!isOpenEnded && left > 0) {
                throw new IOException("less content than was announced");
            }
            closed = true;
            if (inChunks) {
                out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
    }
}
