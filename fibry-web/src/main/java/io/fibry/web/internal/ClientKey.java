package io.fibry.web.internal;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/** What stands for a client where clients are counted. */
public final class ClientKey {
    private static final int IPV6_BYTES = 16;

    private ClientKey() {
    }

    /**
     * Returns the key of an address. With IPv6 it is that of the network of 64 bits, since a client has all addresses of
     * such a network.
     *
     * @param address the address
     * @return the key
     */
    public static Object of(InetAddress address) {
        var bytes = address.getAddress();
        return bytes.length == IPV6_BYTES ? (Object) ByteBuffer.wrap(bytes).getLong() : address;
    }
}
