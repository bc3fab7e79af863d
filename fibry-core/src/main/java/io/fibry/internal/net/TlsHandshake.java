package io.fibry.internal.net;

import io.fibry.net.TlsOptions;
import java.io.IOException;
import java.net.Socket;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;

/** The handshake of a server with a client, which is the only one of the connection. */
public final class TlsHandshake {
    private static final String[] NEWEST = {"TLSv1.3"};

    private TlsHandshake() {
    }

    /**
     * Shakes hands with a client. A client of TLS 1.2 cannot do so again later: each time would cost the server much more
     * than the client, and what has come before would seem to come from the client that has shown a certificate later.
     */
    public static SSLSocket accept(TlsOptions tls, Socket accepted, Consumer<SSLSocket> prepare)
            throws IOException {
        var secured = (SSLSocket) tls.context().getSocketFactory().createSocket(accepted, null, true);
        secured.setSSLParameters(tls.parameters());
        prepare.accept(secured);
        secured.startHandshake();
        if (!secured.getSession().getProtocol().equals(NEWEST[0])) {
            // The JDK answers each handshake that a client begins. A further one can only agree on what is enabled at that
            // time: TLS 1.3, to which a connection of another version cannot change.
            secured.setEnabledProtocols(NEWEST);
        }
        return secured;
    }
}
