package io.fibry.internal.net;

import io.fibry.net.RelayAgentOptions;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLSocket;

/**
 * A connection of an agent to its relay, with or without TLS. {@link #close} ends it at once, without the closing
 * messages of TLS.
 */
final class RelayLine implements Closeable {
    private final RelayAgentOptions options;
    private final Socket raw = new Socket();
    private Socket socket = raw;
    /** The time between two heartbeats of the relay. */
    private Duration heartbeat = Duration.ZERO;

    RelayLine(RelayAgentOptions options) {
        this.options = options;
    }

    /** Connects, and checks that the relay knows the secret. */
    void connect(RelayHandshake handshake, byte purpose, RelayToken token) throws IOException {
        var relay = options.relay();
        try {
            connect(raw, relay, options.connectTimeout());
            if (options.tls().isPresent()) {
                socket = options.tls().get().getSocketFactory().createSocket(raw, relay.getHostString(),
                        relay.getPort(), true);
                var secured = (SSLSocket) socket;
                var parameters = secured.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate is for that name
                secured.setSSLParameters(parameters);
                secured.startHandshake();
            }
            heartbeat = handshake.ask(socket, purpose, token);
        } catch (IOException e) {
            throw new IOException("no connection to the relay " + name(relay) + ": " + e.getMessage(), e);
        }
    }

    /** Returns an address as users have written it, without a look-up. */
    static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Looks the name up and connects. */
    static void connect(Socket socket, InetSocketAddress target, Duration limit) throws IOException {
        socket.connect(new InetSocketAddress(target.getHostString(), target.getPort()),
                (int) limit.toMillis());
        socket.setTcpNoDelay(true);
    }

    Socket socket() {
        return socket;
    }

    Duration heartbeat() {
        return heartbeat;
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }
}
