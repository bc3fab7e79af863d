package io.fibry.cluster.home;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a group in a table: of a slice in that of homes, or of a node in that of hosts.
 *
 * @param node incarnation of the node that is the home, was the last one or is chosen to be the next one; or that hosts the group
 * @param kind what the group is for, as that node knows it
 * @param whole whether the group has this slice alone
 * @param open false if the home has ended its actors, so that another node may follow at once
 * @param chosen whether the node was chosen for a slice by load, and not by the placement
 * @param term rises whenever a node becomes the home
 * @param view number of the view that the node had when it wrote this: a node whose view is older cannot tell whether that one was lost
 * @param change makes each proposed entry of the node unlike all others
 */
record GroupEntry(UUID node, int kind, boolean whole, boolean open, boolean chosen, long term, long view,
        long change) {
    private static final byte VERSION = 1;
    private static final int OPEN = 1;
    private static final int WHOLE = 2;
    private static final int CHOSEN = 4;
    private static final int SIZE = 2 + Integer.BYTES + 5 * Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(SIZE).put(VERSION)
                .put((byte) ((open ? OPEN : 0) | (whole ? WHOLE : 0) | (chosen ? CHOSEN : 0)))
                .putLong(node.getMostSignificantBits()).putLong(node.getLeastSignificantBits()).putInt(kind)
                .putLong(term).putLong(view).putLong(change).array();
    }

    static @Nullable GroupEntry decode(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        if (bytes.length != SIZE || bytes[0] != VERSION) {
            throw new IllegalStateException("an entry of a table has " + bytes.length + " bytes and version "
                    + (bytes.length == 0 ? "none" : bytes[0]) + "; this node reads " + SIZE
                    + " bytes of version " + VERSION + ": a newer node has written it, so update this one");
        }
        var in = ByteBuffer.wrap(bytes, 1, SIZE - 1);
        var flags = in.get();
        return new GroupEntry(new UUID(in.getLong(), in.getLong()), in.getInt(), (flags & WHOLE) != 0,
                (flags & OPEN) != 0, (flags & CHOSEN) != 0, in.getLong(), in.getLong(), in.getLong());
    }
}
