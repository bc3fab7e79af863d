package io.fibry.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of a UDP server. Options are immutable: each method returns other options.
 *
 * @param address the address to receive on; port 0 chooses any free port
 * @param groups the multicast groups to join
 * @param networkInterface the interface on which the groups are joined and multicasts are sent; if empty, the system
 *     chooses it
 * @param maxBytes the length of the longest datagram that is received as a whole; the rest of a longer one is lost
 * @param maxWaiting how many datagrams may wait to be handled; further ones are dropped and counted
 */
public record UdpOptions(InetSocketAddress address, List<InetAddress> groups,
        Optional<NetworkInterface> networkInterface, int maxBytes, int maxWaiting) {
    private static final int MAX_BYTES = 65_507;
    /** The length in the header has 16 bits. */
    private static final int LONGEST = 65_535;
    private static final int MAX_WAITING = 1_000;

    /** Checks the options. */
    public UdpOptions {
        if (Objects.requireNonNull(address, "address").isUnresolved()) {
            throw new IllegalArgumentException("the address to receive on is unknown: " + address);
        }
        groups = List.copyOf(groups);
        for (var group : groups) {
            if (!group.isMulticastAddress()) {
                throw new IllegalArgumentException(group + " is no multicast group (224.0.0.0 to "
                        + "239.255.255.255, or ff00::/8)");
            }
        }
        Objects.requireNonNull(networkInterface, "networkInterface");
        positive(maxBytes, "maxBytes");
        if (maxBytes > LONGEST) {
            throw new IllegalArgumentException(
                    "maxBytes must be at most " + LONGEST + ", no datagram is longer: " + maxBytes);
        }
        positive(maxWaiting, "maxWaiting");
    }

    private static void positive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero: " + value);
        }
    }

    /**
     * Returns options for a port of all addresses of this machine. 1,000 datagrams of any size may wait.
     *
     * @param port the port; 0 chooses any free port
     * @return the options
     */
    public static UdpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * Returns options for an address.
     *
     * @param address the address
     * @return the options
     */
    public static UdpOptions address(InetSocketAddress address) {
        return new UdpOptions(address, List.of(), Optional.empty(), MAX_BYTES, MAX_WAITING);
    }

    /**
     * Returns the same options with one more multicast group. Other programs on this machine may then receive on the
     * same port.
     *
     * @param group the address of the group
     * @return the new options
     */
    public UdpOptions group(InetAddress group) {
        var more = new ArrayList<>(groups);
        more.add(Objects.requireNonNull(group, "group"));
        return new UdpOptions(address, more, networkInterface, maxBytes, maxWaiting);
    }

    /**
     * Returns the same options with another interface on which groups are joined and multicasts are sent.
     *
     * @param through the network interface
     * @return the new options
     */
    public UdpOptions networkInterface(NetworkInterface through) {
        return new UdpOptions(address, groups, Optional.of(Objects.requireNonNull(through, "through")),
                maxBytes, maxWaiting);
    }

    /**
     * Returns the same options with another limit of the length of a datagram.
     *
     * @param count the number of bytes
     * @return the new options
     */
    public UdpOptions maxBytes(int count) {
        return new UdpOptions(address, groups, networkInterface, count, maxWaiting);
    }

    /**
     * Returns the same options with another limit of datagrams that wait.
     *
     * @param count the number
     * @return the new options
     */
    public UdpOptions maxWaiting(int count) {
        return new UdpOptions(address, groups, networkInterface, maxBytes, count);
    }
}
