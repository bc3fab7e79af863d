package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How a relay is to be. Immutable: each method returns other options.
 *
 * @param users where users connect, and what holds for their connections
 * @param agents where agents connect; port 0 takes any free one
 * @param secret what the relay and its agents know
 * @param tls if there, agents speak TLS with the relay
 * @param answerTimeout how long a user waits for the agent to connect
 * @param heartbeat how often the relay asks its agent whether it is there; after three without an answer it is not
 * @param handshakes how many connections on the agents' port may be in their handshake, those of the agent that serves
 *            not counted; one more closes the one that has been silent the longest
 * @param handshakesPerNetwork how many of them may come from one address, or from one network of 64 bits with IPv6; for
 *            the network of the agent that serves one more for each user that waits for it
 * @param handshakeTimeout how long a handshake may take, that of TLS included
 * @param handshakeSilence how long nothing may come in a handshake
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
    /** It is sent to agents as a number of milliseconds of 32 bits. */
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
     * A relay with a port for users and a port for agents, on the addresses that are given: users wait 10 seconds for
     * the agent, which is asked every 15 seconds whether it is there; no TLS between relay and agent. Up to 256
     * connections may be in their handshake, 64 of one network; for 10 seconds, of which 3 in silence.
     *
     * @param users where users connect, and what holds for their connections
     * @param agents where agents connect
     * @param secret what both know
     * @return the options
     */
    public static RelayOptions of(TcpOptions users, InetSocketAddress agents, RelaySecret secret) {
        return new RelayOptions(users, agents, secret, Optional.empty(), ANSWER_TIMEOUT, HEARTBEAT,
                HANDSHAKES, HANDSHAKES_PER_NETWORK, HANDSHAKE_TIMEOUT, HANDSHAKE_SILENCE);
    }

    /**
     * Speaks TLS with agents.
     *
     * @param context has the relay's key
     * @return the options that say so
     */
    public RelayOptions tls(SSLContext context) {
        return new RelayOptions(users, agents, secret, Optional.of(context), answerTimeout, heartbeat,
                handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * How long a user waits for the agent to connect.
     *
     * @param limit the limit
     * @return the options that say so
     */
    public RelayOptions answerTimeout(Duration limit) {
        return new RelayOptions(users, agents, secret, tls, limit, heartbeat, handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * How often the relay asks its agent whether it is there.
     *
     * @param interval the time between two questions
     * @return the options that say so
     */
    public RelayOptions heartbeat(Duration interval) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, interval, handshakes,
                handshakesPerNetwork, handshakeTimeout, handshakeSilence);
    }

    /**
     * How many connections on the agents' port may be in their handshake. They take no place of a user. If there is one
     * more, the one that has been silent the longest is closed.
     *
     * @param most the number for all networks but that of the agent that serves
     * @param perNetwork the number for one address, or for one network of 64 bits with IPv6
     * @return the options that say so
     */
    public RelayOptions handshakes(int most, int perNetwork) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, heartbeat, most, perNetwork,
                handshakeTimeout, handshakeSilence);
    }

    /**
     * How long a handshake may take.
     *
     * @param whole the limit for all of it, that of TLS included
     * @param silence how long nothing may come; a connection that says nothing at all is closed after it
     * @return the options that say so
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
