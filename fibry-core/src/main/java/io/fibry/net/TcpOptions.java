package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How a TCP server is to be. Immutable: each method returns other options.
 *
 * <pre>{@code
 * TcpOptions.port(8080).maxConnections(500).idleTimeout(Duration.ofSeconds(30))
 * }</pre>
 *
 * @param address where to listen; port 0 takes any free one
 * @param backlog how many connections may wait in the system to be accepted
 * @param maxConnections how many may be open at once; further ones wait in the backlog
 * @param idleTimeout after this long without a byte read or written a connection is closed
 * @param totalTimeout after this long a connection is closed, whatever it does
 * @param tls if there, connections speak TLS; the handshake is part of both time-outs
 * @param noDelay whether small pieces are sent at once (TCP_NODELAY)
 */
public record TcpOptions(InetSocketAddress address, int backlog, int maxConnections,
        Optional<Duration> idleTimeout, Optional<Duration> totalTimeout, Optional<SSLContext> tls,
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
     * Listens on a port of all addresses of this machine: 10,000 connections at most, no time-outs, no TLS.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static TcpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * Listens on a port that only this machine can reach.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static TcpOptions localPort(int port) {
        return address(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Listens on an address.
     *
     * @param address the address
     * @return the options
     */
    public static TcpOptions address(InetSocketAddress address) {
        return new TcpOptions(address, BACKLOG, MAX_CONNECTIONS, Optional.empty(), Optional.empty(),
                Optional.empty(), true);
    }

    /**
     * How many connections may wait in the system to be accepted.
     *
     * @param count the number; the system may have a lower limit
     * @return the options that say so
     */
    public TcpOptions backlog(int count) {
        return new TcpOptions(address, count, maxConnections, idleTimeout, totalTimeout, tls, noDelay);
    }

    /**
     * How many connections may be open at once.
     *
     * @param count the number
     * @return the options that say so
     */
    public TcpOptions maxConnections(int count) {
        return new TcpOptions(address, backlog, count, idleTimeout, totalTimeout, tls, noDelay);
    }

    /**
     * Closes connections over which nothing moves.
     *
     * @param time how long nothing may move
     * @return the options that say so
     */
    public TcpOptions idleTimeout(Duration time) {
        return new TcpOptions(address, backlog, maxConnections, Optional.of(time), totalTimeout, tls,
                noDelay);
    }

    /**
     * Closes connections that are open for too long, however busy. It ends what an idle time-out does not:
     * clients that send a byte now and then.
     *
     * @param time how long a connection may be open
     * @return the options that say so
     */
    public TcpOptions totalTimeout(Duration time) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout, Optional.of(time), tls, noDelay);
    }

    /**
     * Speaks TLS.
     *
     * @param context has the server's key
     * @return the options that say so
     */
    public TcpOptions tls(SSLContext context) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout, totalTimeout,
                Optional.of(context), noDelay);
    }

    /**
     * Whether small pieces are sent at once.
     *
     * @param atOnce true by default
     * @return the options that say so
     */
    public TcpOptions noDelay(boolean atOnce) {
        return new TcpOptions(address, backlog, maxConnections, idleTimeout, totalTimeout, tls, atOnce);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("address", address).with("backlog", backlog)
                .with("maxConnections", maxConnections).with("idleTimeout", idleTimeout)
                .with("totalTimeout", totalTimeout).with("tls", tls).with("noDelay", noDelay).toString();
    }
}
