package io.fibry.web;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * How web sockets are to be. Immutable: each call returns other options.
 *
 * @param messageBytes how long a message from the client may be, all its fragments together; a longer one closes the
 *            socket with code 1009
 * @param outbound how many messages to the client may wait, and what happens to one more
 * @param disconnectsWhenFull whether a client for which a message was dropped or refused is disconnected (code 1008)
 * @param idleTimeout how long a client may say nothing, not even answer a ping, before it is taken for vanished; it is
 *            pinged after half of that
 * @param writeLimit how long a client may take to make room for the next 64 KiB; then its connection is cut
 * @param closeLimit how long closing may take: what is queued, and the client's answer; then the connection is cut
 * @param origins values of the header {@code Origin}, as {@code https://fibry.io}, from which sockets are accepted; others
 *            are refused with 403. If empty, every page of the web can open a socket; then do not trust cookies
 * @param protocols the protocols that are spoken, best first; if there are any, the client must know one of them
 */
public record WebSocketOptions(int messageBytes, MailboxPolicy outbound, boolean disconnectsWhenFull,
        Duration idleTimeout, Duration writeLimit, Duration closeLimit, Set<String> origins,
        List<String> protocols) {
    private static final int MESSAGE_BYTES = 1 << 20;
    private static final int WAITING = 1_000;
    private static final WebSocketOptions STANDARD = new WebSocketOptions(MESSAGE_BYTES,
            MailboxPolicy.bounded(WAITING, OverflowPolicy.reject()), true, Duration.ofSeconds(60),
            Duration.ofSeconds(30), Duration.ofSeconds(5), Set.of(), List.of());

    /**
     * Checks the numbers.
     *
     * @param messageBytes at least 125
     * @param outbound not null
     * @param disconnectsWhenFull either
     * @param idleTimeout more than zero
     * @param writeLimit more than zero
     * @param closeLimit more than zero
     * @param origins not null
     * @param protocols names without spaces and commas
     */
    public WebSocketOptions {
        Objects.requireNonNull(outbound, "outbound");
        if (messageBytes < 125) { // so that control frames need no rule of their own
            throw new IllegalArgumentException("messageBytes must be at least 125: " + messageBytes);
        }
        Positive.require(idleTimeout, "idleTimeout");
        Positive.require(writeLimit, "writeLimit");
        Positive.require(closeLimit, "closeLimit");
        origins = Set.copyOf(origins);
        protocols = List.copyOf(protocols);
        for (var protocol : protocols) {
            if (!protocol.matches("[!#-'*+.0-9A-Z^-z|~-]+")) {
                throw new IllegalArgumentException("no name of a protocol: '" + protocol + "'");
            }
        }
    }

    /**
     * Messages up to 1 MiB; 1,000 may wait, and a client that is too slow for that is disconnected; vanished clients
     * are noticed after a minute; any origin; no protocol.
     *
     * @return the options
     */
    public static WebSocketOptions standard() {
        return STANDARD;
    }

    /**
     * The same with another limit on messages from the client.
     *
     * @param most how many bytes, at least 125
     * @return the options
     */
    public WebSocketOptions messageBytes(int most) {
        return new WebSocketOptions(most, outbound, disconnectsWhenFull, idleTimeout, writeLimit, closeLimit,
                origins,
                protocols);
    }

    /**
     * The same with another mailbox for messages to the client, whose policy is all that happens when it is full: a
     * client is not disconnected for being slow.
     *
     * @param policy the mailbox, as {@code MailboxPolicy.bounded(100, OverflowPolicy.dropOldest())}
     * @return the options
     */
    public WebSocketOptions outbound(MailboxPolicy policy) {
        return new WebSocketOptions(messageBytes, policy, false, idleTimeout, writeLimit, closeLimit, origins,
                protocols);
    }

    /**
     * The same with room for another number of messages to the client, which is disconnected when one finds no room.
     *
     * @param most how many may wait
     * @return the options
     */
    public WebSocketOptions outboundOrDisconnect(int most) {
        return new WebSocketOptions(messageBytes, MailboxPolicy.bounded(most, OverflowPolicy.reject()), true,
                idleTimeout, writeLimit, closeLimit, origins, protocols);
    }

    /**
     * The same with another limit on silent clients.
     *
     * @param limit more than zero
     * @return the options
     */
    public WebSocketOptions idleTimeout(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, limit, writeLimit,
                closeLimit,
                origins, protocols);
    }

    /**
     * The same with another limit on clients that do not read.
     *
     * @param limit more than zero
     * @return the options
     */
    public WebSocketOptions writeLimit(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, limit,
                closeLimit,
                origins, protocols);
    }

    /**
     * The same with another limit on closing.
     *
     * @param limit more than zero
     * @return the options
     */
    public WebSocketOptions closeLimit(Duration limit) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                limit,
                origins, protocols);
    }

    /**
     * The same for pages from some places only. Clients that are no browsers say no origin and are refused too.
     *
     * @param allowed the origins, as {@code https://fibry.io}
     * @return the options
     */
    public WebSocketOptions origins(String... allowed) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                closeLimit,
                Set.of(allowed), protocols);
    }

    /**
     * The same with protocols.
     *
     * @param spoken their names, best first
     * @return the options
     */
    public WebSocketOptions protocols(String... spoken) {
        return new WebSocketOptions(messageBytes, outbound, disconnectsWhenFull, idleTimeout, writeLimit,
                closeLimit,
                origins, List.of(spoken));
    }
}
