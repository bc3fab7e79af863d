package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of a relay. Options are immutable: each method returns other options.
 *
 * @param users the address where users connect, and the other options of their connections
 * @param agents the address where agents connect; port 0 chooses any free port
 * @param secret the secret that the relay and its agents know
 * @param tls if present, agents use TLS with the relay
 * @param answerTimeout how long a user waits for the agent to connect
 * @param heartbeat how often the relay asks its agent for a sign of life; after three requests without an answer, the
 *     agent counts as lost
 * @param handshakes how many connections to the port for agents may be in their handshake, without those of the agent
 *     that serves; if there is one more, the one that has been silent the longest is closed
 * @param handshakesPerNetwork how many of these may come from one address, or from one network of 64 bits with IPv6;
 *     for the network of the agent that serves, one more for each user that waits for it
 * @param handshakeTimeout how long a handshake may take, including that of TLS
 * @param handshakeSilence how long no byte may come in a handshake
 */
public record RelayOptions(TcpOptions users, InetSocketAddress agents, RelaySecret secret,
        Optional<SSLContext> tls, Duration answerTimeout, Duration heartbeat, int handshakes,
        int handshakesPerNetwork, Duration handshakeTimeout, Duration handshakeSilence) {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final int HANDSHAKES = 256;
    private static final int HANDSHAKES_PER_NETWORK = 64;
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration HANDSHAKE_SILENCE = Duration.ofSeconds(3);
    private static final Duration SHORTEST_HEARTBEAT = Duration.ofMillis(1);
    /** The heartbeat is sent to agents as a number of milliseconds of 32 bits. */
    private static final Duration LONGEST_HEARTBEAT = Duration.ofDays(1);

    /** Checks the options. */
    public RelayOptions {
        Objects.requireNonNull(users, "users");
        if (Objects.requireNonNull(agents, "agents").isUnresolved()) {
            throw new IllegalArgumentException("the address to listen for agents on is unknown: " + agents);
        }
        Objects.requireNonNull(secret, "secret");
        Objects.requireNonNull(tls, "tls");
        positive(answerTimeout, "answerTimeout");
        if (Objects.requireNonNull(heartbeat, "heartbeat").compareTo(SHORTEST_HEARTBEAT) < 0
                || heartbeat.compareTo(LONGEST_HEARTBEAT) > 0) {
            throw new IllegalArgumentException(
                    "heartbeat must be from 1 ms to " + LONGEST_HEARTBEAT + ": " + heartbeat);
        }
        positive(handshakes, "handshakes");
        positive(handshakesPerNetwork, "handshakesPerNetwork");
        positive(handshakeTimeout, "handshakeTimeout");
        positive(handshakeSilence, "handshakeSilence");
    }

    private static void positive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero: " + value);
        }
    }

    private static void positive(Duration time, String name) {
        if (!Objects.requireNonNull(time, name).isPositive()) {
            throw new IllegalArgumentException(name + " must be more than zero: " + time);
        }
    }

    /**
     * Returns options of a relay with a port for users and a port for agents, on the given addresses. Users wait 10
     * seconds for the agent, the relay asks the agent every 15 seconds for a sign of life, and there is no TLS between
     * relay and agent. Up to 256 connections may be in their handshake, of which 64 of one network; for 10 seconds, of
     * which 3 in silence.
     *
     * @param users the address where users connect, and the other options of their connections
     * @param agents the address where agents connect
     * @param secret the secret that the relay and its agents know
     * @return the options
     */
    public static RelayOptions of(TcpOptions users, InetSocketAddress agents, RelaySecret secret) {
        return new RelayOptions(users, agents, secret, Optional.empty(), ANSWER_TIMEOUT, HEARTBEAT,
                HANDSHAKES, HANDSHAKES_PER_NETWORK, HANDSHAKE_TIMEOUT, HANDSHAKE_SILENCE);
    }

    /**
     * Returns the same options with TLS between the relay and its agents.
     *
     * @param context has the key of the relay
     * @return the new options
     */
    public RelayOptions tls(SSLContext context) {
        return new RelayOptions(users, agents, secret,
                Optional.of(Objects.requireNonNull(context, "context")), answerTimeout, heartbeat,
                handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * Returns the same options with another limit of the time that a user waits for the agent to connect.
     *
     * @param limit the limit
     * @return the new options
     */
    public RelayOptions answerTimeout(Duration limit) {
        return new RelayOptions(users, agents, secret, tls, limit, heartbeat, handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * Returns the same options with another interval between requests for a sign of life of the agent.
     *
     * @param interval the time between two requests
     * @return the new options
     */
    public RelayOptions heartbeat(Duration interval) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, interval, handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * Returns the same options with other limits of connections to the port for agents that are in their handshake.
     * These connections do not count as users. If there is one more, the one that has been silent the longest is
     * closed.
     *
     * @param most the limit for all networks except that of the agent that serves
     * @param perNetwork the limit for one address, or for one network of 64 bits with IPv6
     * @return the new options
     */
    public RelayOptions handshakes(int most, int perNetwork) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, heartbeat, most, perNetwork,
                handshakeTimeout, handshakeSilence);
    }

    /**
     * Returns the same options with other limits of the time that a handshake may take.
     *
     * @param whole the limit for the whole handshake, including that of TLS
     * @param silence how long no byte may come; a connection that sends nothing at all is closed after this time
     * @return the new options
     */
    public RelayOptions handshakeTimeouts(Duration whole, Duration silence) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, heartbeat, handshakes,
                handshakesPerNetwork, whole, silence);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("users", users).with("agents", agents).with("secret", secret)
                .with("tls", tls).with("answerTimeout", answerTimeout).with("heartbeat", heartbeat)
                .with("handshakes", handshakes).with("handshakesPerNetwork", handshakesPerNetwork)
                .with("handshakeTimeout", handshakeTimeout).with("handshakeSilence", handshakeSilence)
                .toString();
    }
}
