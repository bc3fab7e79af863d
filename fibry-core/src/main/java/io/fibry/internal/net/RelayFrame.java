package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What relay and agent say to each other over the control connection. All frames are of one length, so that nobody can
 * make the other side wait for, or make room for, more.
 */
record RelayFrame(Kind kind, RelayToken token) {
    static final int BYTES = 1 + RelayToken.BYTES;
    static final RelayFrame PING = new RelayFrame(Kind.PING, RelayToken.NONE);
    static final RelayFrame PONG = new RelayFrame(Kind.PONG, RelayToken.NONE);

    /** Sent by their ordinal numbers: the order stays. */
    enum Kind {
        /** Relay: are you there? */
        PING,
        /** Agent: yes. */
        PONG,
        /** Relay: a user is there; connect with this token. */
        OPEN,
        /** Agent: this user cannot be served. */
        REFUSE
    }

    private static final Kind[] KINDS = Kind.values();

    byte[] bytes() {
        var bytes = ByteBuffer.allocate(BYTES).put((byte) kind.ordinal());
        token.to(bytes);
        return bytes.array();
    }

    /** The next frame; empty if the other side has ended orderly. */
    static Optional<RelayFrame> read(InputStream in) throws IOException {
        var bytes = in.readNBytes(BYTES);
        if (bytes.length == 0) {
            return Optional.empty();
        }
        if (bytes.length < BYTES || bytes[0] < 0 || bytes[0] >= KINDS.length) {
            throw new ProtocolException("the other side does not keep to the protocol of relays: it sent "
                    + bytes.length + " bytes that begin with " + bytes[0]);
        }
        return Optional.of(new RelayFrame(KINDS[bytes[0]],
                RelayToken.from(ByteBuffer.wrap(bytes, 1, RelayToken.BYTES))));
    }
}
