package io.fibry.internal.net;

import io.fibry.net.RelayAgentOptions;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLSocket;

/**
 * A connection of an agent to its relay, with TLS or without. Closing it ends it at once, even where TLS would have
 * something to say first.
 */
final class RelayLine implements Closeable {
    private final RelayAgentOptions options;
    private final Socket raw = new Socket();
    private Socket socket = raw;
    /** How often the relay will be heard of. */
    private Duration heartbeat = Duration.ZERO;

    RelayLine(RelayAgentOptions options) {
        this.options = options;
    }

    /** Connects, and comes to know the relay as one that knows the secret. */
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

    /** As users have written it: it need not be looked up. */
    static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Looks the name up, and connects. */
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
