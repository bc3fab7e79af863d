package io.fibry.cluster.home;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a node in the table of hosts: it hosts a group.
 *
 * @param token makes each proposed entry unlike all others
 * @param kind what the group is for, as that node knows it; {@link #ANY} if the node does not tell
 */
record HostEntry(UUID token, int kind) {
    /** Of a node that does not tell the kind. */
    static final int ANY = -1;

    private static final int LEAST = 2 * Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(LEAST + Integer.BYTES).putLong(token.getMostSignificantBits())
                .putLong(token.getLeastSignificantBits()).putInt(kind).array();
    }

    /** Returns the kind in an entry. */
    static int kind(byte @Nullable [] bytes) {
        return bytes == null || bytes.length < LEAST + Integer.BYTES ? ANY
                : ByteBuffer.wrap(bytes).getInt(LEAST);
    }
}
