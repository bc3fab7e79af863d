package io.fibry.internal.net;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** What a data connection says it is for. Nobody can guess one, and each is good for one connection. */
record RelayToken(long first, long second, long third, long fourth) {
    static final int BYTES = 4 * Long.BYTES;
    /** For what is about no data connection. */
    static final RelayToken NONE = new RelayToken(0, 0, 0, 0);

    static RelayToken random(SecureRandom random) {
        return new RelayToken(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
    }

    static RelayToken from(ByteBuffer bytes) {
        return new RelayToken(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    void to(ByteBuffer bytes) {
        bytes.putLong(first).putLong(second).putLong(third).putLong(fourth);
    }

    /** Not the token, which does not belong into a log. */
    @Override
    public String toString() {
        return "RelayToken";
    }
}
