package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a UDP server is to be. Immutable: each method returns other options.
 *
 * @param address where to receive; port 0 takes any free one
 * @param groups multicast groups to join
 * @param networkInterface where the groups are joined and multicasts are sent; the system's choice if empty
 * @param maxBytes the longest datagram that is received whole; longer ones are cut off there
 * @param maxWaiting how many datagrams may wait to be handled; what comes then is dropped and counted
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
     * Receives on a port of all addresses of this machine: 1,000 datagrams of any size may wait.
     *
     * @param port the port; 0 takes any free one
     * @return the options
     */
    public static UdpOptions port(int port) {
        return address(new InetSocketAddress(port));
    }

    /**
     * Receives on an address.
     *
     * @param address the address
     * @return the options
     */
    public static UdpOptions address(InetSocketAddress address) {
        return new UdpOptions(address, List.of(), Optional.empty(), MAX_BYTES, MAX_WAITING);
    }

    /**
     * Joins one more multicast group. Others on this machine may then receive on the same port.
     *
     * @param group its address
     * @return the options that say so
     */
    public UdpOptions group(InetAddress group) {
        var more = new ArrayList<>(groups);
        more.add(Objects.requireNonNull(group, "group"));
        return new UdpOptions(address, more, networkInterface, maxBytes, maxWaiting);
    }

    /**
     * Where groups are joined and multicasts are sent.
     *
     * @param through the network interface
     * @return the options that say so
     */
    public UdpOptions networkInterface(NetworkInterface through) {
        return new UdpOptions(address, groups, Optional.of(through), maxBytes, maxWaiting);
    }

    /**
     * How long a datagram may be.
     *
     * @param count the number of bytes
     * @return the options that say so
     */
    public UdpOptions maxBytes(int count) {
        return new UdpOptions(address, groups, networkInterface, count, maxWaiting);
    }

    /**
     * How many datagrams may wait.
     *
     * @param count the number
     * @return the options that say so
     */
    public UdpOptions maxWaiting(int count) {
        return new UdpOptions(address, groups, networkInterface, maxBytes, count);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("address", address).with("groups", groups)
                .with("networkInterface", networkInterface).with("maxBytes", maxBytes)
                .with("maxWaiting", maxWaiting).toString();
    }
}
