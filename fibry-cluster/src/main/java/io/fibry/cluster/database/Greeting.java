package io.fibry.cluster.database;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The first bytes of a connection: what it is for, who has opened it, and which node is expected there. Both numbers
 * are random and in the database alone, so who knows them has access to it.
 */
record Greeting(int purpose, UUID from, UUID to) {
    /** The one that opened the connection sends. The number rises when an older node would misunderstand what is sent. */
    static final int TALK = 0xF1B40001;
    /** Asks whether the node is there. */
    static final int ASK = 0xF1B40101;
    static final int BYTES = Integer.BYTES + 4 * Long.BYTES;
    static final byte IS_THERE = 1;

    static ByteBuffer of(int purpose, UUID from, UUID to) {
        return ByteBuffer.allocate(BYTES).putInt(purpose).putLong(from.getMostSignificantBits())
                .putLong(from.getLeastSignificantBits())
                .putLong(to.getMostSignificantBits()).putLong(to.getLeastSignificantBits()).flip();
    }

    static Greeting of(ByteBuffer bytes) {
        return new Greeting(bytes.getInt(), new UUID(bytes.getLong(), bytes.getLong()),
                new UUID(bytes.getLong(), bytes.getLong()));
    }
}
