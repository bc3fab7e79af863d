package io.fibry.net;

import io.fibry.text.RecordText;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a sender of datagrams sends to: a single address or a multicast group. Targets are immutable: each method returns another
 * target.
 *
 * @param address the address and port of the receiver, or of the group
 * @param networkInterface the interface on which multicasts are sent; if empty, the system chooses it
 * @param hops how many networks a multicast may reach: with 1, only the local one
 */
public record UdpTarget(InetSocketAddress address, Optional<NetworkInterface> networkInterface, int hops) {
    private static final int MOST_HOPS = 255;

    /**
     * Checks the target.
     *
     * @param address resolved, with a port
     * @param networkInterface not null
     * @param hops from 0 to 255; with 0, only receivers on this machine are reached
     */
    public UdpTarget {
        if (Objects.requireNonNull(address, "address").isUnresolved()) {
            throw new IllegalArgumentException("the address to send to is unknown: " + address);
        }
        if (address.getPort() == 0) {
            throw new IllegalArgumentException("the address to send to has no port: " + address);
        }
        Objects.requireNonNull(networkInterface, "networkInterface");
        if (hops < 0 || hops > MOST_HOPS) {
            throw new IllegalArgumentException("hops must be from 0 to " + MOST_HOPS + ": " + hops);
        }
    }

    /**
     * Returns a target. Multicasts do not leave the local network.
     *
     * @param address the address and port of the receiver, or of the group
     * @return the target
     */
    public static UdpTarget of(InetSocketAddress address) {
        return new UdpTarget(address, Optional.empty(), 1);
    }

    /**
     * Returns the same target with another interface on which multicasts are sent.
     *
     * @param through the network interface
     * @return the new target
     */
    public UdpTarget networkInterface(NetworkInterface through) {
        return new UdpTarget(address, Optional.of(through), hops);
    }

    /**
     * Returns the same target with another reach of multicasts.
     *
     * @param networks how many networks a multicast may reach, from 0 to 255
     * @return the new target
     */
    public UdpTarget hops(int networks) {
        return new UdpTarget(address, networkInterface, networks);
    }

    @Override
    public String toString() {
        return RecordText.of(this).with("address", address).with("networkInterface", networkInterface)
                .with("hops", hops).toString();
    }
}
