package io.fibry.internal.net;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A socket as workers get it: it knows when a byte was last read or written, if somebody wants to know, and it ends
 * loops that do not see the end of the stream. {@code while (in.read() != '\n')} is easily written; once the
 * peer has gone it would keep a processor for ever.
 */
final class ServedSocket extends Socket {
    /** How often the end of the stream is told before it becomes an error. */
    static final int PATIENCE = 1_000;
    private static final @Nullable SocketImpl MADE_BY_ACCEPT = null;

    private final @Nullable LongSupplier clock;
    private volatile long movedAt;

    /** A socket to be connected by {@code implAccept}; without a clock it does not know when it moved. */
    @SuppressWarnings("NullAway") // what a server socket documents for its own kind of sockets
    ServedSocket(@Nullable LongSupplier clock) throws SocketException {
        super(MADE_BY_ACCEPT);
        this.clock = clock;
        moved();
    }

    private void moved() {
        if (clock != null) {
            movedAt = clock.getAsLong();
        }
    }

    /** By the clock, if there is one. */
    long movedAt() {
        return movedAt;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new Input(super.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        var out = super.getOutputStream();
        return clock == null ? out : new Output(out);
    }

    private final class Input extends FilterInputStream {
        private int ends;

        Input(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            return checked(in.read());
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            return checked(in.read(to, from, length));
        }

        private int checked(int result) throws IOException {
            if (result < 0) {
                ends++;
                if (ends > PATIENCE) {
                    throw new EOFException(
                            "the peer " + getRemoteSocketAddress() + " has sent all it will send; "
                                    + "the worker has read on " + PATIENCE + " times after the end");
                }
            } else {
                moved();
            }
            return result;
        }
    }

    private final class Output extends FilterOutputStream {
        Output(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int next) throws IOException {
            out.write(next);
            moved();
        }

        @Override
        public void write(byte[] from, int at, int length) throws IOException {
            out.write(from, at, length);
            moved();
        }
    }
}
