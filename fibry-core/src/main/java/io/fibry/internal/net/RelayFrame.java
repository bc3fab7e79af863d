package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A frame of the control connection between relay and agent. All frames have one length, so that no side can make
 * the other one wait for more bytes or allocate more memory.
 */
record RelayFrame(Kind kind, RelayToken token) {
    static final int BYTES = 1 + RelayToken.BYTES;
    static final RelayFrame PING = new RelayFrame(Kind.PING, RelayToken.NONE);
    static final RelayFrame PONG = new RelayFrame(Kind.PONG, RelayToken.NONE);

    /** The kinds of frames. Their ordinal numbers are sent, so the order must not change. */
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

    /** Reads the next frame; returns empty if the other side has ended the stream between two frames. */
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
