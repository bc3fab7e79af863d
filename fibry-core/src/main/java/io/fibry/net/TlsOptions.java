package io.fibry.net;

import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * How a server uses TLS. Options are immutable: each method returns other options.
 *
 * <pre>{@code
 * HttpOptions.port(8443).tls(TlsOptions.of(context).clients(TlsOptions.Clients.REQUIRED).protocols("TLSv1.3"))
 * }</pre>
 *
 * @param context has the key of the server, and the certificates by which it trusts clients
 * @param clients whether clients show certificates
 * @param protocols the versions of TLS, for example {@code TLSv1.3}; if there are none, those of the context
 */
public record TlsOptions(SSLContext context, Clients clients, List<String> protocols) {
    /** Whether clients show certificates. A certificate that the context does not trust ends the connection. */
    public enum Clients {
        /** They are not asked. */
        ANONYMOUS,
        /** They are asked, and may have none. */
        ASKED,
        /** A client without a certificate is refused. */
        REQUIRED
    }

    /**
     * Checks that the context knows the protocols.
     *
     * @param context not null
     * @param clients not null
     * @param protocols names that the context supports
     */
    public TlsOptions {
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(clients, "clients");
        protocols = List.copyOf(protocols);
        var known = List.of(context.getSupportedSSLParameters().getProtocols());
        for (var protocol : protocols) {
            if (!known.contains(protocol)) {
                throw new IllegalArgumentException(
                        "the context has no protocol '" + protocol + "': choose from " + known);
            }
        }
    }

    /**
     * Returns options for clients that show no certificates, with the protocols of the context.
     *
     * @param context has the key of the server
     * @return the options
     */
    public static TlsOptions of(SSLContext context) {
        return new TlsOptions(context, Clients.ANONYMOUS, List.of());
    }

    /**
     * Returns the same options for clients that show certificates, or do not. A handler reads them by {@link
     * HttpCall#certificates()}, and a TCP worker by the session of its socket.
     *
     * @param asked whether they do
     * @return the new options
     */
    public TlsOptions clients(Clients asked) {
        return new TlsOptions(context, asked, protocols);
    }

    /**
     * Returns the same options with other versions of TLS.
     *
     * @param names the versions, for example {@code TLSv1.3}; none stands for those of the context
     * @return the new options
     * @throws IllegalArgumentException if the context does not support one of them
     */
    public TlsOptions protocols(String... names) {
        return new TlsOptions(context, clients, List.of(names));
    }

    /**
     * Returns what these options demand, for sockets and engines of the JDK. What is not chosen is null there.
     *
     * @return new parameters
     */
    public SSLParameters parameters() {
        var parameters = new SSLParameters();
        if (!protocols.isEmpty()) {
            parameters.setProtocols(protocols.toArray(String[]::new));
        }
        switch (clients) {
            case ANONYMOUS -> parameters.setNeedClientAuth(false);
            case ASKED -> parameters.setWantClientAuth(true);
            case REQUIRED -> parameters.setNeedClientAuth(true);
        }
        return parameters;
    }
}
