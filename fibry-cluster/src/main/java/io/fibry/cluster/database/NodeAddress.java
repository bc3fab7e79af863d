package io.fibry.cluster.database;

import java.net.InetSocketAddress;

/**
 * Where a node listens, and which certificate it shows there.
 *
 * @param host its host
 * @param port its port
 * @param certificate the SHA-256 of its certificate in hexadecimal digits; empty if it speaks plain text
 */
record NodeAddress(String host, int port, String certificate) {
    private static final String CERTIFICATE = " sha256=";

    /** Reads what {@link #row} has written. */
    static NodeAddress of(String row) {
        var end = row.indexOf(CERTIFICATE);
        var place = end < 0 ? row : row.substring(0, end);
        var colon = place.lastIndexOf(':');
        return new NodeAddress(place.substring(0, colon), Integer.parseInt(place.substring(colon + 1)),
                end < 0 ? "" : row.substring(end + CERTIFICATE.length()));
    }

    boolean isEncrypted() {
        return !certificate.isEmpty();
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    boolean isLoopback() {
        var address = socketAddress().getAddress();
        return address != null && address.isLoopbackAddress();
    }

    /** Returns what the row of the node says. */
    String row() {
        return isEncrypted() ? this + CERTIFICATE + certificate : toString();
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
