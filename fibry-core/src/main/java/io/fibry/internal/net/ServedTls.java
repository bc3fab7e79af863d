package io.fibry.internal.net;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A TLS socket for a worker. It is the JDK's socket, but its input ends loops that read on after the end of the
 * stream. The JDK's stream returns the end for ever, even when the socket is closed, so nothing else would end such
 * loops.
 */
final class ServedTls extends PassingTls {
    private final AtomicReference<@Nullable InputStream> input = new AtomicReference<>();

    ServedTls(SSLSocket tls) {
        super(tls);
    }

    private static final class Input extends FilterInputStream {
        private final ServedTls socket;
        private final EndGuard guard = new EndGuard();

        Input(ServedTls socket, InputStream in) {
            super(in);
            this.socket = socket;
        }

        @Override
        public int read() throws IOException {
            var next = in.read();
            return next < 0 ? guard.end(socket) : next;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            var count = in.read(to, from, length);
            return count < 0 ? guard.end(socket) : count;
        }
    }

    /** Always returns the same stream, since it counts how often its end was read. */
    @Override
    public InputStream getInputStream() throws IOException {
        var in = super.getInputStream(); // refuses if it is closed
        var seen = input.get();
        if (seen != null) {
            return seen;
        }
        var fresh = new Input(this, in);
        var before = input.compareAndExchange(null, fresh);
        return before != null ? before : fresh;
    }
}
