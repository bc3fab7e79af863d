package io.fibry.web;

import io.fibry.net.HttpOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * How a web server is to be. Immutable: each call returns other options.
 *
 * <pre>{@code
 * WebOptions.port(8443).tls(context).connections(500).http(http -> http.bodyBytes(1_000_000))
 * }</pre>
 *
 * @param http address, TLS and the limits on requests
 * @param connections how many may be open at once; further ones wait in the system
 * @param idleTimeout how long a connection may have no request in work: the head of its next request must be there by
 *            then, with TLS the handshake too. Web sockets have a time-out of their own
 * @param http2 whether HTTP/2 is spoken with clients that want it
 */
public record WebOptions(HttpOptions http, int connections, Duration idleTimeout, boolean http2) {
    private static final int CONNECTIONS = 10_000;
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);

    /**
     * Checks the numbers.
     *
     * @param http not null
     * @param connections at least one
     * @param idleTimeout more than zero
     * @param http2 either
     */
    public WebOptions {
        Objects.requireNonNull(http, "http");
        if (connections < 1) {
            throw new IllegalArgumentException("connections must be at least 1: " + connections);
        }
        Positive.require(idleTimeout, "idleTimeout");
    }

    /**
     * A port on all addresses of the machine.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static WebOptions port(int port) {
        return of(HttpOptions.port(port));
    }

    /**
     * A port that only programs on this machine can reach.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static WebOptions localPort(int port) {
        return of(HttpOptions.localPort(port));
    }

    /**
     * An address of the machine.
     *
     * @param address the address; port 0 takes any free one
     * @return the options
     */
    public static WebOptions address(InetSocketAddress address) {
        return of(HttpOptions.address(address));
    }

    private static WebOptions of(HttpOptions http) {
        return new WebOptions(http, CONNECTIONS, IDLE_TIMEOUT, true);
    }

    /**
     * The same with TLS; clients that can speak HTTP/2 say so in the handshake (ALPN).
     *
     * @param keys the keys
     * @return the options
     */
    public WebOptions tls(SSLContext keys) {
        return http(options -> options.tls(keys));
    }

    /**
     * The same with other limits on requests.
     *
     * @param change changes them, as {@code http -> http.bodyBytes(1_000_000)}
     * @return the options
     */
    public WebOptions http(UnaryOperator<HttpOptions> change) {
        return new WebOptions(change.apply(http), connections, idleTimeout, http2);
    }

    /**
     * The same with another bound on connections; it is 10,000 by default.
     *
     * @param most how many, at least one
     * @return the options
     */
    public WebOptions connections(int most) {
        return new WebOptions(http, most, idleTimeout, http2);
    }

    /**
     * The same with another limit on connections without a request; it is 60 seconds by default.
     *
     * @param limit more than zero
     * @return the options
     */
    public WebOptions idleTimeout(Duration limit) {
        return new WebOptions(http, connections, limit, http2);
    }

    /**
     * The same with another limit on silent senders of content, which is that of {@link #http}; it is 60 seconds by default.
     *
     * @param limit more than zero
     * @return the options
     */
    public WebOptions readLimit(Duration limit) {
        return http(options -> options.readLimit(limit));
    }

    /**
     * The same with HTTP/2 or without; it is spoken by default.
     *
     * @param spoken whether it is
     * @return the options
     */
    public WebOptions http2(boolean spoken) {
        return new WebOptions(http, connections, idleTimeout, spoken);
    }
}
