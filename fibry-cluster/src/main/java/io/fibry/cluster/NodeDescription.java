package io.fibry.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a node tells the others about itself when it joins. The version comes first, and the name behind it, in all
 * versions; a later one may add something at the end.
 *
 * <p>A release speaks the version of the protocol that is its own, and the one before, so that nodes can be replaced
 * one by one. The version rises when nodes of the version before would misunderstand what this one sends. Until all
 * nodes of a view have the later version, none may send what the earlier one does not know.
 *
 * @param version of the protocol between nodes, the newest one that this node speaks
 * @param oldest the oldest version that it speaks
 * @param name what the node is called in reports
 * @param slices in how many slices it divides the keys of a group; zero if that is not known
 * @param hosts whether it may be the home of what it shares
 */
record NodeDescription(int version, int oldest, String name, int slices, boolean hosts) {
    static final int VERSION = 3;
    static final int BEFORE = 2;

    NodeDescription(String name, int slices, boolean hosts) {
        this(VERSION, BEFORE, name, slices, hosts);
    }

    byte[] bytes() {
        var text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(4 * Integer.BYTES + text.length + 1).putInt(version).putInt(text.length)
                .put(text).putInt(slices).putInt(oldest).put((byte) (hosts ? 1 : 0)).array();
    }

    /** Reads a description; of a version that this node does not speak the name alone is certain. */
    static NodeDescription of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var version = in.getInt();
        var text = new byte[in.getInt()];
        in.get(text);
        var name = new String(text, StandardCharsets.UTF_8);
        if (in.remaining() <= 2 * Integer.BYTES) {
            return new NodeDescription(version, version, name, 0, true);
        }
        var slices = in.getInt();
        return new NodeDescription(version, in.getInt(), name, slices, in.get() == 1);
    }

    /** Throws an exception if this node cannot be in a cluster with another one, which has joined before. */
    void requireLike(NodeDescription other) {
        if (version < other.oldest || other.version < oldest) {
            throw new ClusterException("it speaks " + versions()
                    + " of the protocol between nodes, and the node '"
                    + other.name + "' " + other.versions()
                    + "; go by a release of fibry-cluster that speaks both, or stop all nodes before you start the others");
        }
        if (slices != other.slices) {
            throw new ClusterException("it divides the keys of a group into " + slices
                    + " slices, and the node '" + other.name + "' into " + other.slices
                    + "; give ClusterOptions.slices the same number on all nodes");
        }
    }

    private String versions() {
        return oldest == version ? "version " + version : "versions " + oldest + " to " + version;
    }
}
