package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of an agent of a relay. Options are immutable: each method returns other options.
 *
 * @param relay the address where the relay listens for agents; its name is looked up for each connection
 * @param target the address of the service for the users of the relay; its name is looked up for each user
 * @param secret the secret that the relay and its agents know
 * @param tls if present, the agent uses TLS with the relay, whose certificate must be for the name of the relay
 * @param maxConnections how many users the agent serves at a time; further users are refused
 * @param connectTimeout how long it may take to connect to the relay, and to the target
 * @param firstPause how long the agent waits before it connects again after it has lost the connection to the relay
 * @param longestPause the longest of these pauses; each pause is longer than the one before, until this one is reached
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
     * Returns options of an agent that serves 1,000 users at a time, connects within 10 seconds, connects again after
     * pauses from half a second up to half a minute, and does not use TLS.
     *
     * @param relay the address where the relay listens for agents
     * @param target the address of the service for the users
     * @param secret the secret that the relay and its agents know
     * @return the options
     */
    public static RelayAgentOptions of(InetSocketAddress relay, InetSocketAddress target,
            RelaySecret secret) {
        return new RelayAgentOptions(relay, target, secret, Optional.empty(), MAX_CONNECTIONS,
                CONNECT_TIMEOUT, FIRST_PAUSE, LONGEST_PAUSE);
    }

    /**
     * Returns the same options with TLS between the agent and the relay.
     *
     * @param context trusts the certificate of the relay
     * @return the new options
     */
    public RelayAgentOptions tls(SSLContext context) {
        return new RelayAgentOptions(relay, target, secret,
                Optional.of(Objects.requireNonNull(context, "context")), maxConnections,
                connectTimeout, firstPause, longestPause);
    }

    /**
     * Returns the same options with another limit of users that are served at a time.
     *
     * @param count the number
     * @return the new options
     */
    public RelayAgentOptions maxConnections(int count) {
        return new RelayAgentOptions(relay, target, secret, tls, count, connectTimeout, firstPause,
                longestPause);
    }

    /**
     * Returns the same options with another limit of the time to connect.
     *
     * @param limit the limit
     * @return the new options
     */
    public RelayAgentOptions connectTimeout(Duration limit) {
        return new RelayAgentOptions(relay, target, secret, tls, maxConnections, limit, firstPause,
                longestPause);
    }

    /**
     * Returns the same options with other pauses before the agent connects again. Each pause is about twice as long as
     * the one before, less a random part of up to a half. After a connection that has lasted for the longest pause, the
     * pauses begin with the first one again.
     *
     * @param first the first pause
     * @param longest the longest pause
     * @return the new options
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
