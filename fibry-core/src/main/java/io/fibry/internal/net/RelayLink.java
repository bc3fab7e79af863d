package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.internal.log.Logs;
import io.fibry.net.RelayAgentOptions;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.slf4j.Logger;

/**
 * A user that an agent serves: a connection to the service, a connection to the relay, and the copying between them.
 */
final class RelayLink implements Closeable {
    private static final Logger LOG = Logs.of("io.fibry.net");

    private final String name;
    private final RelayAgentOptions options;
    private final Socket service = new Socket();
    private final RelayLine line;

    RelayLink(String name, RelayAgentOptions options) {
        this.name = name;
        this.options = options;
        line = new RelayLine(options);
    }

    /**
     * Connects to the service and then to the relay. If the service refuses a user, no connection to the relay is
     * needed.
     */
    void connect(RelayHandshake handshake, RelayToken token) throws IOException {
        InetSocketAddress target = options.target();
        try {
            RelayLine.connect(service, target, options.connectTimeout());
        } catch (IOException e) {
            throw new IOException("cannot forward to " + RelayLine.name(target) + ": " + e.getMessage(), e);
        }
        line.connect(handshake, RelayHandshake.DATA, token);
    }

    /** Copies in both directions; returns when both have ended. */
    void carry(ActorBuilder back) {
        var other = back.newReceivingActor(context -> carry(service, line.socket()));
        carry(line.socket(), service);
        other.waitForExit();
    }

    private void carry(Socket from, Socket to) {
        var done = false;
        try {
            TcpForward.copy(from.getInputStream(), to.getOutputStream());
            to.shutdownOutput();
            done = true;
        } catch (IOException e) {
            LOG.debug("{}: it could not be carried on: {}", name, e.toString());
        } finally {
            if (!done) {
                close();
            }
        }
    }

    @Override
    public void close() {
        TcpConnection.close(service, name);
        TcpConnection.close(line, name);
    }
}
