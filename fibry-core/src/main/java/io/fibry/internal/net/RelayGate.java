package io.fibry.internal.net;

import io.fibry.internal.log.Logs;
import io.fibry.net.RelayOptions;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The connections of a relay that have not yet proved that they come from an agent. They have places of their own.
 * If there are too many, the connection that has been silent for the longest time is closed. So strangers cannot
 * keep an agent out by holding places, and they take no place of a user. Each network has a limit of its own. The
 * agent's network has separate places: as many as any network, and one for each user that waits for the agent. So
 * connections from other networks cannot close those of the agent that serves.
 *
 * <p>Thread-safe. A lock is held while all connections in the gate are read, of which there are at most as many as
 * places.
 */
final class RelayGate {
    private static final Logger LOG = Logs.of("io.fibry.net");
    /** The length of the prefix that one customer of an IPv6 network has at least. */
    private static final int NETWORK_BYTES = 8;

    private static final Deadline.Names NAMES = new Deadline.Names("handshakeTimeout", "handshakeSilence");

    private final RelayOptions options;
    private final TimeSource time;
    private final IntSupplier waiting;
    /** Guards the connections in a handshake and {@link #agent}. Its holder closes nothing and waits for nothing. */
    private final ReentrantLock lock = new ReentrantLock();
    /** The connections in the gate, in the order in which they came. */
    private final Map<TcpConnection, Stay> inside = new LinkedHashMap<>();
    private final Burst burst;
    private @Nullable InetAddress agent;

    private record Stay(InetAddress network, Cancellable limit) {
    }

    /** Makes a gate; {@code waiting} returns how many users wait for the agent to connect. */
    RelayGate(RelayOptions options, TimeSource time, IntSupplier waiting) {
        this.options = options;
        this.time = time;
        this.waiting = waiting;
        burst = new Burst(time);
    }

    /** Adds an accepted connection. Closes one connection if there are too many. Does not wait. */
    void enter(TcpConnection connection) {
        var network = network(connection.peer().getAddress());
        var limit = Deadline.start(time, Optional.of(options.handshakeTimeout()),
                Optional.of(options.handshakeSilence()), connection::movedAt, NAMES, connection::cutSoon);
        Optional<TcpConnection> tooMany;
        boolean isNews;
        lock.lock();
        try {
            inside.put(connection, new Stay(network, limit));
            tooMany = tooMany(network);
            tooMany.ifPresent(this::remove);
            isNews = tooMany.isPresent() && burst.begins();
        } finally {
            lock.unlock();
        }
        if (isNews) {
            LOG.warn(
                    "{}: more connections are in their handshake than may be, {} in all and {} of one network; "
                            + "those that have been silent the longest are closed",
                    connection.name(),
                    options.handshakes(), options.handshakesPerNetwork());
        }
        tooMany.ifPresent(one -> one
                .closeWanted("it was the longest silent one of too many connections in their handshake"));
    }

    private Optional<TcpConnection> tooMany(InetAddress network) {
        long most = options.handshakesPerNetwork();
        if (network.equals(agent)) {
            most += waiting.getAsInt();
        }
        if (count(network::equals) > most) {
            return longestSilent(network::equals);
        }
        Predicate<InetAddress> isStrange = each -> !each.equals(agent);
        return count(isStrange) > options.handshakes() ? longestSilent(isStrange) : Optional.empty();
    }

    private long count(Predicate<InetAddress> which) {
        return inside.values().stream().filter(stay -> which.test(stay.network)).count();
    }

    /**
     * Returns the connection that has been silent for the longest time. If several are equal it is the one that came
     * first, so never the new one.
     */
    private Optional<TcpConnection> longestSilent(Predicate<InetAddress> which) {
        var now = time.nanoTime();
        return inside.entrySet().stream().filter(each -> which.test(each.getValue().network))
                .map(Map.Entry::getKey)
                .min(Comparator.comparingLong((TcpConnection each) -> each.movedAt() - now));
    }

    /** Removes a connection that has proved itself, or has ended. */
    void leave(TcpConnection connection) {
        lock.lock();
        try {
            remove(connection);
        } finally {
            lock.unlock();
        }
    }

    private void remove(TcpConnection connection) {
        var stay = inside.remove(connection);
        if (stay != null) {
            stay.limit.cancel();
        }
    }

    /**
     * Records the address of the agent that serves. It stays recorded when the agent has gone, since the agent may
     * come back.
     */
    void admitKnown(InetAddress address) {
        lock.lock();
        try {
            agent = network(address);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns an address of IPv4 unchanged, and the prefix of one of IPv6, which all addresses of one customer
     * share.
     */
    static InetAddress network(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address;
        }
        var bytes = address.getAddress();
        for (int i = NETWORK_BYTES; i < bytes.length; i++) {
            bytes[i] = 0;
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible); // every array of this length is an address
        }
    }
}
