package io.fibry.internal.net;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A socket for a worker. Its input is a {@link ServedInput}. With a clock it records when a byte was last read or
 * written.
 */
final class ServedSocket extends Socket {
    private static final int PIECE = 64 * 1024;
    private static final @Nullable SocketImpl MADE_BY_ACCEPT = null;

    private final @Nullable LongSupplier clock;
    private final AtomicReference<@Nullable ServedInput> input = new AtomicReference<>();
    /** Written by threads that read or write; a timer that reads too old a time looks again. */
    private volatile long movedAt;

    /** Makes a socket that {@code implAccept} connects. Without a clock it does not record when it moved. */
    @SuppressWarnings("NullAway") // what a server socket documents for its own kind of sockets
    ServedSocket(@Nullable LongSupplier clock) throws SocketException {
        super(MADE_BY_ACCEPT);
        this.clock = clock;
        moved();
    }

    void moved() {
        if (clock != null) {
            movedAt = clock.getAsLong();
        }
    }

    /** Returns when a byte last moved, by the clock, if there is one. */
    long movedAt() {
        return movedAt;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return ServedInput.of(input, this, super.getInputStream(), this::moved); // refuses if it is closed
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        var out = super.getOutputStream();
        return clock == null ? out : new Output(out);
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

        /** Writes in pieces, so that something moves as long as the peer reads, however slowly. */
        @Override
        public void write(byte[] from, int at, int length) throws IOException {
            Objects.checkFromIndexSize(at, length, from.length);
            for (int done = 0; done < length; done += PIECE) {
                out.write(from, at + done, Math.min(PIECE, length - done));
                moved();
            }
        }
    }
}
