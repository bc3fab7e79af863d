package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** What a node has written about itself into the table of nodes. Immutable. */
record NodeRow(NodeInfo node, boolean isLeaving, String host, int port) {
    private static final int FIXED = 1 + 16 + 4 + 4;

    static NodeRow of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        var isLeaving = in.get() != 0;
        var incarnation = new UUID(in.getLong(), in.getLong());
        var port = in.getInt();
        var host = new byte[in.getInt()];
        in.get(host);
        var description = new byte[in.remaining()];
        in.get(description);
        return new NodeRow(new NodeInfo(incarnation, description), isLeaving,
                new String(host, StandardCharsets.UTF_8), port);
    }

    byte[] bytes() {
        var name = host.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FIXED + name.length + node.description().length)
                .put((byte) (isLeaving ? 1 : 0))
                .putLong(node.incarnation().getMostSignificantBits())
                .putLong(node.incarnation().getLeastSignificantBits())
                .putInt(port).putInt(name.length).put(name).put(node.description()).array();
    }

    NodeRow leaving() {
        return new NodeRow(node, true, host, port);
    }
}
