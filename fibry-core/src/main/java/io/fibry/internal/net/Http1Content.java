package io.fibry.internal.net;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpProblem;
import java.io.EOFException;
import java.io.IOException;

/** The content of a request of HTTP/1.1: a number of bytes, or chunks. The framing of chunks is checked byte by byte. */
final class Http1Content extends BlockInput {
    private static final int MOST_DIGITS = 15;
    /** Extensions of chunks are skipped up to this length. */
    private static final int MOST_EXTENSION_BYTES = 16 * 1_024;

    private final HttpInput in;
    private final HttpOptions limits;
    private final ServedCall.Step go;
    private final boolean inChunks;
    /** How many bytes of the content, or of the chunk, are left. */
    private long left;
    private boolean begun;
    private boolean ended;
    private int extensionBytes;

    /** Makes content of a length, which may be {@link HttpHead#UNKNOWN}. The step tells the client to send it. */
    Http1Content(HttpInput in, long length, HttpOptions limits, ServedCall.Step go) {
        this.in = in;
        this.limits = limits;
        this.go = go;
        inChunks = length == HttpHead.UNKNOWN;
        left = inChunks ? 0 : length;
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        if (!begun) {
            go.take();
        }
        if (left == 0 && !(inChunks && nextChunk())) {
            ended = true;
            return -1;
        }
        begun = true;
        var count = in.read(bytes, offset, (int) Math.min(left, length));
        if (count < 0) {
            throw new EOFException("the client has closed the connection in the middle of its content");
        }
        left -= count;
        return count;
    }

    /** Reads up to the bytes of the next chunk. Returns false if there is none. */
    private boolean nextChunk() throws IOException {
        if (begun) {
            in.endOfLine();
        }
        begun = true;
        var digits = 0;
        var next = in.next();
        for (var digit = HttpText.digit(next); digit >= 0; digit = HttpText.digit(next)) {
            if (++digits > MOST_DIGITS) {
                throw malformed();
            }
            left = left << 4 | digit;
            next = in.next();
        }
        if (digits == 0) {
            throw malformed();
        }
        skipExtensions(next);
        if (left > 0) {
            return true;
        }
        in.headers(limits.headerBytes(), limits.headerCount()); // trailers, which are ignored
        return false;
    }

    private void skipExtensions(byte first) throws IOException {
        var next = first;
        while (next == ' ' || next == '\t') {
            next = extension();
            if (next == '\r') {
                throw malformed(); // spaces are only allowed before a semicolon
            }
        }
        if (next == ';') {
            while (next != '\r') {
                next = extension();
            }
        }
        if (next != '\r' || in.next() != '\n') {
            throw malformed();
        }
    }

    private byte extension() throws IOException {
        if (++extensionBytes > MOST_EXTENSION_BYTES) {
            throw malformed();
        }
        return in.ofLine();
    }

    private static HttpProblem malformed() {
        return new HttpProblem(400, "the chunks of the content are not well formed");
    }
}
