package io.fibry.web.internal;

/** A frame of a web socket (RFC 6455, 5.2), unmasked. */
final class Frame {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    private final int opcode;
    private final boolean isLast;
    private final boolean isCompressed;
    private final byte[] payload;

    Frame(int opcode, boolean isLast, boolean isCompressed, byte[] payload) {
        this.opcode = opcode;
        this.isCompressed = isCompressed;
        this.isLast = isLast;
        this.payload = payload;
    }

    /** Tells whether this is a control frame, which may come in the middle of a message. */
    static boolean isControl(int opcode) {
        return opcode >= CLOSE;
    }

    int opcode() {
        return opcode;
    }

    /** Tells whether this frame is the last one of its message. */
    boolean isLast() {
        return isLast;
    }

    /** Tells whether this frame begins a message that is compressed. */
    boolean isCompressed() {
        return isCompressed;
    }

    byte[] payload() {
        return payload;
    }
}
