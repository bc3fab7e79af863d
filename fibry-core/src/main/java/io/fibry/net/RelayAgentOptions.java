package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How an agent of a relay is to be. Immutable: each method returns other options.
 *
 * @param relay where the relay listens for agents; its name is looked up for each connection
 * @param target the service that users of the relay get to; its name is looked up for each user
 * @param secret what the relay and its agents know
 * @param tls if there, it speaks TLS with the relay, whose certificate must be for the relay's name
 * @param maxConnections how many users it serves at once; more are refused
 * @param connectTimeout how long it may take to connect to the relay, and to the target
 * @param firstPause how long it waits before it connects again when the connection to the relay was lost
 * @param longestPause how long that may become, as it doubles each time
 */
public record RelayAgentOptions(InetSocketAddress relay, InetSocketAddress target, RelaySecret secret,
        Optional<SSLContext> tls, int maxConnections, Duration connectTimeout, Duration firstPause,
        Duration longestPause) {
    private static final int MAX_CONNECTIONS = 1_000;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

    /** Checks the options. */
    public RelayAgentOptions {
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(secret, "secret");
        Objects.requireNonNull(tls, "tls");
        if (maxConnections <= 0) {
            throw new IllegalArgumentException("maxConnections must be more than zero: " + maxConnections);
        }
        if (Objects.requireNonNull(connectTimeout, "connectTimeout").compareTo(LONGEST_TIMEOUT) > 0
                || connectTimeout.compareTo(SHORTEST_TIMEOUT) < 0) {
            throw new IllegalArgumentException(
                    "connectTimeout must be from 1 ms to " + LONGEST_TIMEOUT + ": " + connectTimeout);
        }
        if (!Objects.requireNonNull(firstPause, "firstPause").isPositive()) {
            throw new IllegalArgumentException("firstPause must be more than zero: " + firstPause);
        }
        if (Objects.requireNonNull(longestPause, "longestPause").compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "longestPause must not be less than firstPause, " + firstPause + ": " + longestPause);
        }
    }

    /**
     * An agent that serves 1,000 users at once, connects within 10 seconds, and connects again after pauses from half
     * a second up to half a minute; no TLS.
     *
     * @param relay where the relay listens for agents
     * @param target the service that users get to
     * @param secret what both know
     * @return the options
     */
    public static RelayAgentOptions of(InetSocketAddress relay, InetSocketAddress target,
            RelaySecret secret) {
        return new RelayAgentOptions(relay, target, secret, Optional.empty(), MAX_CONNECTIONS,
                CONNECT_TIMEOUT, FIRST_PAUSE, LONGEST_PAUSE);
    }

    /**
     * Speaks TLS with the relay.
     *
     * @param context trusts the relay's certificate
     * @return the options that say so
     */
    public RelayAgentOptions tls(SSLContext context) {
        return new RelayAgentOptions(relay, target, secret, Optional.of(context), maxConnections,
                connectTimeout, firstPause, longestPause);
    }

    /**
     * How many users it serves at once.
     *
     * @param count the number
     * @return the options that say so
     */
    public RelayAgentOptions maxConnections(int count) {
        return new RelayAgentOptions(relay, target, secret, tls, count, connectTimeout, firstPause,
                longestPause);
    }

    /**
     * How long it may take to connect.
     *
     * @param limit the limit
     * @return the options that say so
     */
    public RelayAgentOptions connectTimeout(Duration limit) {
        return new RelayAgentOptions(relay, target, secret, tls, maxConnections, limit, firstPause,
                longestPause);
    }

    /**
     * How long it waits before it connects again: about twice as long each time, less a random part of up to a half.
     * It begins anew after a connection that has lasted for the longest pause.
     *
     * @param first the first pause
     * @param longest the longest one
     * @return the options that say so
     */
    public RelayAgentOptions pauses(Duration first, Duration longest) {
        return new RelayAgentOptions(relay, target, secret, tls, maxConnections, connectTimeout, first,
                longest);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("relay", relay).with("target", target).with("secret", secret)
                .with("tls", tls).with("maxConnections", maxConnections)
                .with("connectTimeout", connectTimeout).with("firstPause", firstPause)
                .with("longestPause", longestPause).toString();
    }
}
