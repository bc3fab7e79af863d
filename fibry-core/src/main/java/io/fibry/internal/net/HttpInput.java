package io.fibry.internal.net;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpProblem;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a client sends, read ahead. Lines end with CR LF and nothing else, and have no control characters except tabs: a
 * server that accepts more may read requests in another way than the proxy in front of it. Only the thread that serves
 * the connection, or its handler, reads.
 */
public final class HttpInput extends BlockInput {
    /** The head of most requests. A connection that waits for a request costs no more than this. */
    private static final int BUFFER = 1_024;
    private static final byte[] NOTHING = {};

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int end;

    HttpInput(InputStream in) {
        this.in = in;
    }

    /** Waits for the next byte. Returns false if the client has ended its output. */
    boolean hasNext() throws IOException {
        if (at == end) {
            at = 0;
            end = 0;
            end = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return at < end;
    }

    /** Returns the next byte. */
    public byte next() throws IOException {
        if (at == end) {
            fill();
        }
        return buffer[at++];
    }

    private void fill() throws IOException {
        if (!hasNext()) {
            throw new EOFException("the client has closed the connection");
        }
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        if (at == end && length >= BUFFER) {
            return in.read(bytes, offset, length);
        }
        if (!hasNext()) {
            return -1;
        }
        var count = Math.min(length, end - at);
        System.arraycopy(buffer, at, bytes, offset, count);
        at += count;
        return count;
    }

    /** Reads so many bytes, into an array that grows with what comes. */
    public byte[] exactly(int count) throws IOException {
        var bytes = readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the client has closed the connection");
        }
        return bytes;
    }

    /**
     * Returns whether the first bytes of the connection are these. It waits for as many as are needed to tell, and takes
     * none of them.
     */
    public boolean beginsWith(byte[] expected) throws IOException {
        for (var i = 0; i < expected.length; i++) {
            if (at + i == end) {
                var count = in.read(buffer, end, buffer.length - end);
                if (count < 0) {
                    return false;
                }
                end += count;
            }
            if (buffer[at + i] != expected[i]) {
                return false;
            }
        }
        return true;
    }

    /** Takes the bytes that have been read ahead. */
    public byte[] takeBuffered() {
        var bytes = Arrays.copyOfRange(buffer, at, end);
        at = end;
        return bytes;
    }

    /** Reads a line. A line that is longer than the limit is refused with the given status. */
    String line(long most, int statusIfLonger) throws IOException {
        var before = NOTHING;
        while (true) {
            if (at == end) {
                fill();
            }
            var stop = at;
            while (stop < end && !HttpText.isControl(buffer[stop])) {
                stop++;
            }
            if (before.length + stop - at > most) {
                throw new HttpProblem(statusIfLonger, "a line of the request is too long");
            }
            if (stop < end) {
                var line = before.length == 0
                        ? new String(buffer, at, stop - at, StandardCharsets.ISO_8859_1)
                        : new String(joined(before, stop), StandardCharsets.ISO_8859_1);
                at = stop;
                endOfLine();
                return line;
            }
            before = joined(before, stop);
            at = end;
        }
    }

    private byte[] joined(byte[] before, int stop) {
        var bytes = Arrays.copyOf(before, before.length + stop - at);
        System.arraycopy(buffer, at, bytes, before.length, stop - at);
        return bytes;
    }

    /** Reads a byte of a line that is skipped. */
    byte ofLine() throws IOException {
        var next = next();
        if (HttpText.isControl(next) && next != '\r') {
            throw noLine();
        }
        return next;
    }

    /** Reads the end of a line. */
    void endOfLine() throws IOException {
        if (next() != '\r') {
            throw noLine();
        }
        if (next() != '\n') {
            throw new HttpProblem(400, "a CR must be followed by LF");
        }
    }

    private static HttpProblem noLine() {
        return new HttpProblem(400,
                "lines of a request must end with CR LF, and be without control characters");
    }

    /** Reads header lines and the empty line after them. */
    HeaderList headers(long mostBytes, int mostLines) throws IOException {
        var headers = new HeaderList();
        var left = mostBytes;
        for (var line = line(left, 431); !line.isEmpty(); line = line(left, 431)) {
            left -= line.length();
            if (headers.count() == mostLines) {
                throw new HttpProblem(431, "the headers are too long, or too many");
            }
            var colon = line.indexOf(':');
            if (colon < 0 || !HttpText.isToken(line, colon)) {
                // This includes a line that begins with a space, and a space before the colon.
                throw new HttpProblem(400, "a header must be a name, a colon and a value, on one line");
            }
            headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        return headers;
    }
}
