package io.fibry.internal.net;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** An exchange that may use TLS, without the JDK's server. */
public interface SecuredExchange {
    /**
     * Returns the session of the connection.
     *
     * @return the session; empty without TLS
     */
    Optional<SSLSession> session();

    /** Returns the certificates of the client, its own first; empty if it has shown none. */
    static List<X509Certificate> certificates(HttpExchange exchange) {
        var session = switch (exchange) {
            case SecuredExchange secured -> secured.session();
            case HttpsExchange https -> Optional.ofNullable(https.getSSLSession());
            default -> Optional.<SSLSession>empty();
        };
        try {
            return session.isEmpty() ? List.of()
                    : Arrays.stream(session.get().getPeerCertificates())
                            .filter(X509Certificate.class::isInstance)
                            .map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }
}
