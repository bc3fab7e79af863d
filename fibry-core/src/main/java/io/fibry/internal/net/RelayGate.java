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
 * The connections of a relay that have not proved yet that they are an agent's. They have places of their own, and the one
 * that has been silent the longest makes room for the next: so strangers cannot keep an agent out by holding places, and
 * they take no place of a user. Each network has a limit of its own. The agent's network has places beside those of all
 * others, as many as any network and one for each user that waits for the agent: so connections from elsewhere
 * cannot close those of the agent that serves.
 *
 * <p>Thread-safe. A lock is held for a look at all that are inside, which is as many as there are places at most.
 */
final class RelayGate {
    private static final Logger LOG = Logs.of("io.fibry.net");
    /** What one customer of an IPv6 network has is at least so much. */
    private static final int NETWORK_BYTES = 8;

    private static final Deadline.Names NAMES = new Deadline.Names("handshakeTimeout", "handshakeSilence");

    private final RelayOptions options;
    private final TimeSource time;
    private final IntSupplier waiting;
    private final ReentrantLock lock = new ReentrantLock();
    /** In the order in which they came. */
    private final Map<TcpConnection, Stay> inside = new LinkedHashMap<>();
    private final Burst burst;
    private @Nullable InetAddress agent;

    private record Stay(InetAddress network, Cancellable limit) {
    }

    /** A gate; {@code waiting} says how many users wait for the agent to connect. */
    RelayGate(RelayOptions options, TimeSource time, IntSupplier waiting) {
        this.options = options;
        this.time = time;
        this.waiting = waiting;
        burst = new Burst(time);
    }

    /** A connection has been accepted. One of them is closed if there are too many now. Does not wait for anybody. */
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

    /** Of those that are alike the one that came first; so never the newcomer. */
    private Optional<TcpConnection> longestSilent(Predicate<InetAddress> which) {
        var now = time.nanoTime();
        return inside.entrySet().stream().filter(each -> which.test(each.getValue().network))
                .map(Map.Entry::getKey)
                .min(Comparator.comparingLong((TcpConnection each) -> each.movedAt() - now));
    }

    /** A connection has proved itself, or has ended. */
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

    /** An agent serves from this address. It is remembered when that one has gone: it is to come back. */
    void admitKnown(InetAddress address) {
        lock.lock();
        try {
            agent = network(address);
        } finally {
            lock.unlock();
        }
    }

    /** The address, or what it has in common with all others that one customer of an IPv6 network can take. */
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
            throw new AssertionError(impossible); // of that length all are addresses
        }
    }
}
