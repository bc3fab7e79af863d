package io.fibry.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of a TCP server. Options are immutable: each method returns other options.
 *
 * <pre>{@code
 * TcpOptions.port(8080).maxConnections(500).idleTimeout(Duration.ofSeconds(30))
 * }</pre>
 *
 * @param address the address to listen on; port 0 chooses any free port
 * @param backlog how many connections may wait in the system until they are accepted
 * @param maxConnections how many connections may be open at a time; further ones wait in the backlog
 * @param idleTimeout how long no byte may be read or written before a connection is closed
 * @param totalTimeout how long a connection may be open before it is closed, even if it is busy
 * @param tls if present, connections use TLS; the handshake is part of both time-outs
 * @param noDelay whether small pieces are sent at once (TCP_NODELAY)
 */
public record TcpOptions(InetSocketAddress address, int backlog, int maxConnections,
        Optional<Duration> idleTimeout, Optional<Duration> totalTimeout, Optional<TlsOptions> tls,
        boolean noDelay) {
    private static final int BACKLOG = 1_024;
    private static final int MAX_CONNECTIONS = 10_000;

    /** Checks the options. */
    public TcpOptions {
        Objects.requireNonNull(tls, "tls");
        if (Objects.requireNonNull(address, "address").isUnresolved()) {
            throw new IllegalArgumentException("the address to listen on is unknown: " + address);
        }
        positive(backlog, "backlog");
        positive(maxConnections, "maxConnections");
        Objects.requireNonNull(idleTimeout, "idleTimeout").ifPresent(time -> positive(time, "idleTimeout"));
        Objects.requireNonNull(totalTimeout, "totalTimeout")
                .ifPresent(time -> positive(time, "totalTimeout"));
    }

    private static void positive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero: " + value);
        }
    }

    private static void positive(Duration time, String name) {
        if (!time.isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + time);
        }
    }

    /**
     * Returns options for a port of all addresses of this machine, with 10,000 connections at most, no time-outs, and
     * no TLS.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static TcpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * Returns options for a port that only programs on this machine can reach.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static TcpOptions localPort(int port) {
        return address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Returns options for an address.
     *
     * @param address the address
     * @return the options
     */
    public static TcpOptions address(InetSocketAddress address) {
        return new TcpOptions(address, BACKLOG, MAX_CONNECTIONS, Optional.empty(), Optional.empty(),
                Optional.empty(), true);
    }

    /**
     * Returns the same options with another number of connections that may wait in the system until they are accepted.
     *
     * @param count the number; the system may have a lower limit
     * @return the new options
     */
    public TcpOptions backlog(int count) {
        return new TcpOptions(address, count, maxConnections, idleTimeout, totalTimeout, tls, noDelay);
    }

    /**
     * Returns the same options with another limit of connections that are open at a time.
     *
     * @param count the number
     * @return the new options
     */
    public TcpOptions maxConnections(int count) {
        return new TcpOptions(address, backlog, count, idleTimeout, totalTimeout, tls, noDelay);
    }

    /**
     * Returns the same options with a limit of the time in which no byte is read or written. A connection that exceeds
     * it is closed.
     *
     * @param time the limit
     * @return the new options
     */
    public TcpOptions idleTimeout(Duration time) {
        return new TcpOptions(address, backlog, maxConnections,
                Optional.of(Objects.requireNonNull(time, "time")), totalTimeout, tls,
                noDelay);
    }

    /**
     * Returns the same options with a limit of the time for which a connection is open. A connection that exceeds it is
     * closed, even if it is busy. This also ends connections that an idle time-out does not end: those of clients that
     * send a byte now and then.
     *
     * @param time how long a connection may be open
     * @return the new options
     */
    public TcpOptions totalTimeout(Duration time) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout,
                Optional.of(Objects.requireNonNull(time, "time")), tls, noDelay);
    }

    /**
     * Returns the same options with TLS, for clients that show no certificates.
     *
     * @param context has the key of the server
     * @return the new options
     */
    public TcpOptions tls(SSLContext context) {
        return tls(TlsOptions.of(context));
    }

    /**
     * Returns the same options with TLS.
     *
     * @param settings the keys, the versions of TLS, and whether clients show certificates
     * @return the new options
     */
    public TcpOptions tls(TlsOptions settings) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout, totalTimeout,
                Optional.of(settings), noDelay);
    }

    /**
     * Returns the same options with another value of TCP_NODELAY, which determines whether small pieces are sent at
     * once.
     *
     * @param atOnce true by default
     * @return the new options
     */
    public TcpOptions noDelay(boolean atOnce) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout, totalTimeout, tls, atOnce);
    }
}
