package io.fibry.net;

import java.net.InetSocketAddress;

/**
 * A server whose users are served by an agent that has connected to it: {@link #address()} is where users connect, and
 * {@link #connections()} counts them. Thread-safe.
 */
public interface TcpRelay extends Server {
    /**
     * Where agents connect.
     *
     * @return the address; it stays the same after the stop
     */
    InetSocketAddress agentAddress();

    /**
     * The port where agents connect.
     *
     * @return the port; it stays the same after the stop
     */
    default int agentPort() {
        return agentAddress().getPort();
    }

    /**
     * Whether there is an agent now. Users that come while there is none are refused.
     *
     * @return true if there is
     */
    boolean hasAgent();
}
