package io.fibry.web;

import io.fibry.internal.clock.Durations;
import io.fibry.net.HttpOptions;
import io.fibry.net.TlsOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * The options of a web server. Options are immutable: each call returns other options.
 *
 * <pre>{@code
 * WebOptions.port(8443).tls(context).connections(500).http(http -> http.bodyBytes(1_000_000))
 * }</pre>
 *
 * @param http the address, TLS and the limits of requests
 * @param connections how many connections may be open at a time, fewer if the process may open few files; further ones
 *     wait in the system
 * @param idleTimeout how long a connection may be open without a request that is handled: within this time the whole
 *     head of its next request must come, and with TLS the handshake must be complete. Web sockets have a time-out of
 *     their own
 * @param http2 whether the server uses HTTP/2 with clients that ask for it
 * @param http2Upgrade whether a client can change to HTTP/2 by a request of HTTP/1.1, without TLS
 * @param connectionsPerClient how many connections a client may have open at a time; further ones are closed at once. If
 *     empty, it is half of all connections, or 8 if that is more
 * @param accessLog learns of each request
 */
public record WebOptions(HttpOptions http, int connections, Duration idleTimeout, boolean http2,
        boolean http2Upgrade,
        OptionalInt connectionsPerClient, Optional<WebAccessListener> accessLog) {
    private static final int CONNECTIONS = 10_000;
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);

    /**
     * Checks the numbers.
     *
     * @param http not null
     * @param connections at least one
     * @param idleTimeout more than zero
     * @param http2 any value
     * @param http2Upgrade any value
     * @param connectionsPerClient at least one, or empty
     * @param accessLog not null
     */
    public WebOptions {
        Objects.requireNonNull(http, "http");
        Positive.require(connections, "connections");
        Durations.positiveNanos(idleTimeout, "idleTimeout");
        connectionsPerClient.ifPresent(most -> Positive.require(most, "connectionsPerClient"));
        Objects.requireNonNull(accessLog, "accessLog");
    }

    /**
     * Returns options for a port on all addresses of the machine.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static WebOptions port(int port) {
        return of(HttpOptions.port(port));
    }

    /**
     * Returns options for a port that only programs on this machine can reach.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static WebOptions localPort(int port) {
        return of(HttpOptions.localPort(port));
    }

    /**
     * Returns options for an address of the machine.
     *
     * @param address the address; port 0 chooses any free port
     * @return the options
     */
    public static WebOptions address(InetSocketAddress address) {
        return of(HttpOptions.address(address));
    }

    private static WebOptions of(HttpOptions http) {
        return new WebOptions(http, CONNECTIONS, IDLE_TIMEOUT, true, false, OptionalInt.empty(),
                Optional.empty());
    }

    /**
     * Returns the same options with TLS. A client that supports HTTP/2 offers it in the handshake (ALPN).
     *
     * @param keys the keys
     * @return the new options
     */
    public WebOptions tls(SSLContext keys) {
        return http(options -> options.tls(keys));
    }

    /**
     * Returns the same options with TLS, with versions and certificates of clients by choice.
     *
     * @param settings the keys, the versions of TLS, and whether clients show certificates
     * @return the new options
     */
    public WebOptions tls(TlsOptions settings) {
        return http(options -> options.tls(settings));
    }

    /**
     * Returns the same options with other limits of requests.
     *
     * @param change returns the changed options, for example {@code http -> http.bodyBytes(1_000_000)}
     * @return the new options
     */
    public WebOptions http(UnaryOperator<HttpOptions> change) {
        return new WebOptions(change.apply(http), connections, idleTimeout, http2, http2Upgrade,
                connectionsPerClient,
                accessLog);
    }

    /**
     * Returns the same options with another limit of connections. It is 10,000 by default.
     *
     * @param most the limit, at least one
     * @return the new options
     */
    public WebOptions connections(int most) {
        return new WebOptions(http, most, idleTimeout, http2, http2Upgrade, connectionsPerClient,
                accessLog);
    }

    /**
     * Returns the same options with another limit of the time for which a connection is open without a request. It is
     * 60 seconds by default.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public WebOptions idleTimeout(Duration limit) {
        return new WebOptions(http, connections, limit, http2, http2Upgrade, connectionsPerClient,
                accessLog);
    }

    /**
     * Returns the same options with HTTP/2 or without it. The server uses it by default.
     *
     * @param spoken whether the server uses HTTP/2
     * @return the new options
     */
    public WebOptions http2(boolean spoken) {
        return new WebOptions(http, connections, idleTimeout, spoken, http2Upgrade,
                connectionsPerClient, accessLog);
    }

    /**
     * Returns the same options with or without the change to HTTP/2 that a client asks for by a request of HTTP/1.1 ({@code
     * Upgrade: h2c}), on connections without TLS. The server ignores such requests by default, and answers in HTTP/1.1: if a
     * proxy passes them on, it does not see the requests that follow. Clients that know that the server uses HTTP/2 need no
     * such change.
     *
     * @param offered whether clients can change to HTTP/2
     * @return the new options
     */
    public WebOptions http2Upgrade(boolean offered) {
        return new WebOptions(http, connections, idleTimeout, http2, offered, connectionsPerClient,
                accessLog);
    }

    /**
     * Returns the same options with another limit of the connections that one client may have open at a time. With IPv6 a
     * client is a network of 64 bits. By default it is half of all {@link #connections}, and at least 8, so that no single
     * client can take all of them. A single proxy in front of the server is one client: give it all connections.
     *
     * <pre>{@code
     * WebOptions.port(8080).connections(20_000).connectionsPerClient(20_000)
     * }</pre>
     *
     * @param most the limit, at least one
     * @return the new options
     */
    public WebOptions connectionsPerClient(int most) {
        return new WebOptions(http, connections, idleTimeout, http2, http2Upgrade,
                OptionalInt.of(most),
                accessLog);
    }

    /**
     * Returns the same options with a log of requests.
     *
     * @param listener learns of each request, for example {@link AccessLog#combined()}
     * @return the new options
     */
    public WebOptions accessLog(WebAccessListener listener) {
        return new WebOptions(http, connections, idleTimeout, http2, http2Upgrade,
                connectionsPerClient,
                Optional.of(listener));
    }
}
