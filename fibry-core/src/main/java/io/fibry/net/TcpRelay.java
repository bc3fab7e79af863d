package io.fibry.net;

import java.net.InetSocketAddress;

/**
 * A server whose users are served by an agent that has connected to it. Users connect to {@link #address()}, and {@link
 * #connections()} counts them. Relays are thread-safe.
 */
public interface TcpRelay extends Server {
    /**
     * Returns the address where agents connect.
     *
     * @return the address, which stays the same after the stop
     */
    InetSocketAddress agentAddress();

    /**
     * Returns the port where agents connect.
     *
     * @return the port, which stays the same after the stop
     */
    default int agentPort() {
        return agentAddress().getPort();
    }

    /**
     * Tells whether there is an agent now. Users that come while there is none are refused.
     *
     * @return true if there is
     */
    boolean hasAgent();
}
