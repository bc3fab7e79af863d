package io.fibry.net;

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
 */
public record RelayOptions(TcpOptions users, InetSocketAddress agents, RelaySecret secret,
        Optional<SSLContext> tls, Duration answerTimeout, Duration heartbeat) {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
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
        if (!Objects.requireNonNull(answerTimeout, "answerTimeout").isPositive()) {
            throw new IllegalArgumentException("answerTimeout must be more than zero: " + answerTimeout);
        }
        if (Objects.requireNonNull(heartbeat, "heartbeat").toMillis() < 1
                || heartbeat.compareTo(LONGEST_HEARTBEAT) > 0) {
            throw new IllegalArgumentException(
                    "heartbeat must be from 1 ms to " + LONGEST_HEARTBEAT + ": " + heartbeat);
        }
    }

    /**
     * A relay with a port for users and a port for agents, on the addresses that are given: users wait 10 seconds for
     * the agent, which is asked every 15 seconds whether it is there; no TLS between relay and agent.
     *
     * @param users where users connect, and what holds for their connections
     * @param agents where agents connect
     * @param secret what both know
     * @return the options
     */
    public static RelayOptions of(TcpOptions users, InetSocketAddress agents, RelaySecret secret) {
        return new RelayOptions(users, agents, secret, Optional.empty(), ANSWER_TIMEOUT, HEARTBEAT);
    }

    /**
     * Speaks TLS with agents.
     *
     * @param context has the relay's key
     * @return the options that say so
     */
    public RelayOptions tls(SSLContext context) {
        return new RelayOptions(users, agents, secret, Optional.of(context), answerTimeout, heartbeat);
    }

    /**
     * How long a user waits for the agent to connect.
     *
     * @param limit the limit
     * @return the options that say so
     */
    public RelayOptions answerTimeout(Duration limit) {
        return new RelayOptions(users, agents, secret, tls, limit, heartbeat);
    }

    /**
     * How often the relay asks its agent whether it is there.
     *
     * @param interval the time between two questions
     * @return the options that say so
     */
    public RelayOptions heartbeat(Duration interval) {
        return new RelayOptions(users, agents, secret, tls, answerTimeout, interval);
    }
}
