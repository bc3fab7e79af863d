package io.fibry.cluster.home;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a slice in the table of homes.
 *
 * @param home incarnation of the node that is its home, or was the last one
 * @param term rises whenever a node becomes the home
 * @param view number of the view that the home had when it became so: a node whose view is older cannot tell whether the home was lost
 * @param whole whether the group has this slice alone
 * @param open false if the home has ended its actors, so that another node may follow at once
 * @param token makes each proposed entry unlike all others
 */
record HomeEntry(UUID home, long term, long view, boolean whole, boolean open, UUID token) {
    /** The table that has these entries. Their keys are the name of the group, a slash, and the slice. */
    static final String TABLE = "homes";

    private static final byte VERSION = 1;
    private static final int OPEN = 1;
    private static final int WHOLE = 2;
    private static final int SIZE = 2 + 6 * Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(SIZE).put(VERSION).put((byte) ((open ? OPEN : 0) | (whole ? WHOLE : 0)))
                .putLong(home.getMostSignificantBits())
                .putLong(home.getLeastSignificantBits()).putLong(term).putLong(view)
                .putLong(token.getMostSignificantBits())
                .putLong(token.getLeastSignificantBits()).array();
    }

    static @Nullable HomeEntry decode(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        if (bytes.length != SIZE || bytes[0] != VERSION) {
            throw new IllegalStateException("an entry of the table '" + TABLE + "' has " + bytes.length
                    + " bytes and version " + (bytes.length == 0 ? "none" : bytes[0]) + "; this node reads "
                    + SIZE
                    + " bytes of version " + VERSION + ": a newer node has written it, so update this one");
        }
        var buffer = ByteBuffer.wrap(bytes, 1, SIZE - 1);
        var flags = buffer.get();
        var home = new UUID(buffer.getLong(), buffer.getLong());
        var term = buffer.getLong();
        var view = buffer.getLong();
        return new HomeEntry(home, term, view, (flags & WHOLE) != 0, (flags & OPEN) != 0,
                new UUID(buffer.getLong(), buffer.getLong()));
    }
}
