package io.fibry.internal.net;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The input stream of a worker. A worker that reads single bytes gets them from a small buffer. The buffer is made
 * for the second byte, so a connection that waits for its first byte has none. An exception ends a loop that does
 * not check for the end of the stream, as {@code while (in.read() != '\n')}. Such a loop would use a processor for ever, and
 * its connection would keep its place: the stream of a TLS socket returns the end even when the socket is closed.
 */
final class ServedInput extends InputStream {
    /** How often the end of the stream may be read before it is an error. */
    static final int PATIENCE = 1_000;
    private static final int BUFFER = 512;
    private static final byte[] NO_BUFFER = {};

    private final Socket socket;
    private final InputStream in;
    private final Runnable moved;
    private byte[] buffer = NO_BUFFER;
    private int at;
    private int end;
    private boolean begun;
    private int ends;

    private ServedInput(Socket socket, InputStream in, Runnable moved) {
        this.socket = socket;
        this.in = in;
        this.moved = moved;
    }

    /**
     * Returns the one stream of a socket, since the bytes that it has read ahead belong to the next reader.
     *
     * @param seen has the stream from the first call on
     * @param in the stream of the JDK
     * @param moved called when something was read
     */
    static InputStream of(AtomicReference<@Nullable ServedInput> seen, Socket socket, InputStream in,
            Runnable moved) {
        var made = seen.get();
        if (made != null) {
            return made;
        }
        var fresh = new ServedInput(socket, in, moved);
        var before = seen.compareAndExchange(null, fresh);
        return before != null ? before : fresh;
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
            moved.run();
        } else if (++ends > PATIENCE) {
            throw new EOFException("the peer " + socket.getRemoteSocketAddress()
                    + " has sent all it will send; the worker has read on " + PATIENCE
                    + " times after the end");
        }
        return result;
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
