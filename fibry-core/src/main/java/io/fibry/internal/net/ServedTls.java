package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A TLS socket for a worker. It is the JDK's socket with a {@link ServedInput}. */
final class ServedTls extends PassingTls {
    private final AtomicReference<@Nullable ServedInput> input = new AtomicReference<>();

    ServedTls(SSLSocket tls) {
        super(tls);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return ServedInput.of(input, this, super.getInputStream(), () -> {
            // the socket below records that something has moved
        });
    }
}
