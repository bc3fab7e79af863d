package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;

/**
 * The input stream of a worker. A worker that reads single bytes gets them from a small buffer. The buffer is made
 * for the second byte, so a connection that waits for its first byte has none. An exception ends a loop that does
 * not check for the end of the stream, as {@code while (in.read() != '\n')}, since it would use a processor for ever.
 */
final class ServedInput extends InputStream {
    private static final int BUFFER = 512;
    private static final byte[] NO_BUFFER = {};

    private final ServedSocket socket;
    private final InputStream in;
    private byte[] buffer = NO_BUFFER;
    private int at;
    private int end;
    private boolean begun;
    private final EndGuard guard = new EndGuard();

    ServedInput(ServedSocket socket, InputStream in) {
        this.socket = socket;
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        if (at < end) {
            return buffer[at++] & 0xff;
        }
        if (!begun) {
            begun = true;
            return checked(in.read());
        }
        if (buffer.length == 0) {
            buffer = new byte[BUFFER];
        }
        // The buffer must be empty if this read throws an exception or finds the end.
        at = 0;
        end = 0;
        var count = checked(in.read(buffer, 0, BUFFER));
        if (count < 0) {
            return count;
        }
        end = count;
        return buffer[at++] & 0xff;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        if (at == end) {
            return checked(in.read(to, from, length));
        }
        var count = Math.min(length, end - at);
        System.arraycopy(buffer, at, to, from, count);
        at += count;
        return count;
    }

    private int checked(int result) throws IOException {
        if (result >= 0) {
            socket.moved();
            return result;
        }
        return guard.end(socket);
    }

    @Override
    public int available() throws IOException {
        return end - at + in.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
