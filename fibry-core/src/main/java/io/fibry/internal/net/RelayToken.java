package io.fibry.internal.net;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** The token by which a data connection names its user. A token cannot be guessed and is valid for one connection. */
record RelayToken(long first, long second, long third, long fourth) {
    static final int BYTES = 4 * Long.BYTES;
    /** The token of frames that concern no data connection. */
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

    /** Returns a text without the token, which must not be logged. */
    @Override
    public String toString() {
        return "RelayToken";
    }
}
