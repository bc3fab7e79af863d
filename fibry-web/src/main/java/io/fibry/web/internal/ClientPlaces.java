package io.fibry.web.internal;

import io.fibry.web.WebOptions;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the connections of each client, up to a limit. */
final class ClientPlaces {
    /** A browser opens six. */
    private static final int LEAST = 8;
    private static final int IPV6_BYTES = 16;

    private final int most;
    /** How many places a client has; clients without a place are not kept. */
    private final ConcurrentHashMap<Object, Integer> taken = new ConcurrentHashMap<>();

    ClientPlaces(WebOptions options) {
        most = options.connectionsPerClient().orElse(Math.max(LEAST, options.connections() / 2));
    }

    /** Returns how many places each client has. */
    int most() {
        return most;
    }

    /** Takes a place. Returns false if the client has all of its places; then none is taken. */
    boolean take(InetAddress client) {
        if (most == Integer.MAX_VALUE) {
            return true;
        }
        var key = key(client);
        if (taken.merge(key, 1, Integer::sum) <= most) {
            return true;
        }
        giveBack(client);
        return false;
    }

    void giveBack(InetAddress client) {
        if (most < Integer.MAX_VALUE) {
            taken.computeIfPresent(key(client), (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Returns what stands for a client: with IPv6 a network of 64 bits, since a client has all its addresses. */
    private static Object key(InetAddress address) {
        var bytes = address.getAddress();
        return bytes.length == IPV6_BYTES ? (Object) ByteBuffer.wrap(bytes).getLong() : address;
    }
}
