package io.fibry.web;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.internal.clock.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The options of web sockets. Options are immutable: each call returns other options.
 *
 * @param messageBytes how long a message from the client may be, with all its fragments; a longer one closes the socket
 *     with code 1009
 * @param outbound how many messages to the client may wait, and what happens to one more
 * @param disconnectsWhenFull whether a client is disconnected (code 1008) if a message to it was dropped or refused
 * @param idleTimeout how long a client may send nothing, not even the answer to a ping, before its connection counts as
 *     lost; after half of this time the server sends a ping
 * @param writeLimit how long a client may take to receive the next 64 KiB; after that its connection is cut
 * @param closeLimit how long it may take to close the socket, with the messages that are queued and the answer of the
 *     client; after that the connection is cut
 * @param origins the values of the header {@code Origin}, for example {@code https://fibry.io}, from which sockets are
 *     accepted; others are refused with 403. If the set is empty, any page on the web can open a socket, so the server
 *     must not trust cookies
 * @param protocols the protocols that the server supports, in the order of preference; if there are any, the client
 *     must support one of them
 * @param deflate how messages are compressed for clients that offer it; they are not if it is empty
 */
public record WebSocketOptions(int messageBytes, MailboxPolicy outbound, boolean disconnectsWhenFull,
        Duration idleTimeout, Duration writeLimit, Duration closeLimit, Set<String> origins,
        List<String> protocols, Optional<WebSocketDeflate> deflate) {
    private static final int MESSAGE_BYTES = 1 << 20;
    private static final int WAITING = 1_000;
    private static final WebSocketOptions STANDARD = new WebSocketOptions(MESSAGE_BYTES,
            MailboxPolicy.bounded(WAITING, OverflowPolicy.reject()), true, Duration.ofSeconds(60),
            Duration.ofSeconds(30), Duration.ofSeconds(5), Set.of(), List.of(),
            Optional.empty());

    /**
     * Checks the numbers.
     *
     * @param messageBytes at least 125
     * @param outbound not null
     * @param disconnectsWhenFull any value
     * @param idleTimeout more than zero
     * @param writeLimit more than zero
     * @param closeLimit more than zero
     * @param origins not null
     * @param protocols names without spaces and commas
     * @param deflate not null
     */
    public WebSocketOptions {
        Objects.requireNonNull(outbound, "outbound");
        Objects.requireNonNull(deflate, "deflate");
        if (messageBytes < 125) { // so that control frames need no rule of their own
            throw new IllegalArgumentException("messageBytes must be at least 125: " + messageBytes);
        }
        Durations.positiveNanos(idleTimeout, "idleTimeout");
        Durations.positiveNanos(writeLimit, "writeLimit");
        Durations.positiveNanos(closeLimit, "closeLimit");
        origins = Set.copyOf(origins);
        protocols = List.copyOf(protocols);
        for (var protocol : protocols) {
            if (!protocol.matches("[!#-'*+.0-9A-Z^-z|~-]+")) {
                throw new IllegalArgumentException("no name of a protocol: '" + protocol + "'");
            }
        }
    }

    /**
     * Returns the standard options. A message may have up to 1 MiB. 1,000 messages to a client may wait, and a client
     * that is too slow for this is disconnected. A lost connection is noticed after a minute. Sockets of any origin are
     * accepted, and there is no protocol.
     *
     * @return the options
     */
    public static WebSocketOptions standard() {
        return STANDARD;
    }

    /**
     * Returns the same options with another limit of messages from the client.
     *
     * @param most the number of bytes, at least 125
     * @return the new options
     */
    public WebSocketOptions messageBytes(int most) {
        return new WebSocketOptions(most, outbound, disconnectsWhenFull, idleTimeout, writeLimit, closeLimit,
                origins,
                protocols, deflate);
    }

    /**
     * Returns the same options with another mailbox for messages to the client. If the mailbox is full, only its policy
     * applies: the client is not disconnected because it is slow.
     *
     * @param policy the mailbox, for example {@code MailboxPolicy.bounded(100, OverflowPolicy.dropOldest())}
     * @return the new options
     */
    public WebSocketOptions outbound(MailboxPolicy policy) {
        return new WebSocketOptions(messageBytes, policy, false, idleTimeout, writeLimit, closeLimit, origins,
                protocols, deflate);
    }

    /**
     * Returns the same options with another limit of messages to the client that wait. If there is one more, the client
     * is disconnected.
     *
     * @param most how many messages may wait
     * @return the new options
     */
    public WebSocketOptions outboundOrDisconnect(int most) {
        return new WebSocketOptions(messageBytes, MailboxPolicy.bounded(most, OverflowPolicy.reject()), true,
                idleTimeout, writeLimit, closeLimit, origins, protocols, deflate);
    }

    /**
     * Returns the same options with another limit for clients that send nothing.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public WebSocketOptions idleTimeout(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, limit, writeLimit,
                closeLimit,
                origins, protocols, deflate);
    }

    /**
     * Returns the same options with another limit for clients that do not read.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public WebSocketOptions writeLimit(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, limit,
                closeLimit,
                origins, protocols, deflate);
    }

    /**
     * Returns the same options with another limit of the time to close a socket.
     *
     * @param limit the time, more than zero
     * @return the new options
     */
    public WebSocketOptions closeLimit(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                limit,
                origins, protocols, deflate);
    }

    /**
     * Returns the same options for pages of the given origins only. Clients that are not browsers send no origin, and
     * are refused too.
     *
     * @param allowed the origins, for example {@code https://fibry.io}
     * @return the new options
     */
    public WebSocketOptions origins(String... allowed) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                closeLimit,
                Set.of(allowed), protocols, deflate);
    }

    /**
     * Returns the same options with protocols.
     *
     * @param spoken the names of the protocols, in the order of preference
     * @return the new options
     */
    public WebSocketOptions protocols(String... spoken) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                closeLimit,
                origins, List.of(spoken), deflate);
    }

    /**
     * Returns the same options with compression, for clients that offer it. A message that is longer than {@link
     * #messageBytes()} after it was inflated closes the socket with code 1009.
     *
     * @param settings how messages are compressed, for example {@link WebSocketDeflate#standard()}
     * @return the new options
     */
    public WebSocketOptions deflate(WebSocketDeflate settings) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                closeLimit,
                origins, protocols, Optional.of(settings));
    }
}
