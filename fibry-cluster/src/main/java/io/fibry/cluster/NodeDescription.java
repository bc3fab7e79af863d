package io.fibry.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a node tells the others about itself when it joins. A later version may add something behind the name.
 *
 * @param name what the node is called in reports
 * @param slices in how many slices it divides the keys of a group
 */
record NodeDescription(String name, int slices) {
    byte[] bytes() {
        var text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Integer.BYTES + text.length).putInt(slices).putInt(text.length)
                .put(text)
                .array();
    }

    static NodeDescription of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var slices = in.getInt();
        var text = new byte[in.getInt()];
        in.get(text);
        return new NodeDescription(new String(text, StandardCharsets.UTF_8), slices);
    }

    /** Throws an exception if this node cannot be in a cluster with another one, which has joined before. */
    void requireSameSlices(NodeDescription other) {
        if (slices != other.slices) {
            throw new ClusterException("it divides the keys of a group into " + slices
                    + " slices, and the node '" + other.name + "' into " + other.slices
                    + "; give ClusterOptions.slices the same number on all nodes");
        }
    }
}
