package io.fibry.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a node tells the others about itself when it joins. The version comes first, and the name behind it, in all versions; a later one may add
 * something at the end.
 *
 * @param version of the protocol between nodes: it rises when nodes of the version before would misunderstand what this one sends
 * @param name what the node is called in reports
 * @param slices in how many slices it divides the keys of a group
 */
record NodeDescription(int version, String name, int slices) {
    static final int VERSION = 2;

    NodeDescription(String name, int slices) {
        this(VERSION, name, slices);
    }

    byte[] bytes() {
        var text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(3 * Integer.BYTES + text.length).putInt(version).putInt(text.length)
                .put(text).putInt(slices).array();
    }

    /** Reads a description; of another version it is the name alone that is certain. */
    static NodeDescription of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var version = in.getInt();
        var text = new byte[in.getInt()];
        in.get(text);
        return new NodeDescription(version, new String(text, StandardCharsets.UTF_8),
                version == VERSION ? in.getInt() : 0);
    }

    /** Throws an exception if this node cannot be in a cluster with another one, which has joined before. */
    void requireLike(NodeDescription other) {
        if (version != other.version) {
            throw new ClusterException("it speaks version " + version
                    + " of the protocol between nodes, and the node '" + other.name + "' version "
                    + other.version
                    + "; use releases of fibry-cluster on all nodes that speak the same version, or stop all nodes before you start the others");
        }
        if (slices != other.slices) {
            throw new ClusterException("it divides the keys of a group into " + slices
                    + " slices, and the node '" + other.name + "' into " + other.slices
                    + "; give ClusterOptions.slices the same number on all nodes");
        }
    }
}
