package io.fibry.web.internal;

import io.fibry.internal.net.HttpInput;
import io.fibry.web.WebSocketClose;
import java.io.IOException;

/** Reads the frames of a client, and refuses the frames that a client must not send. */
final class FrameReader {
    private static final int LAST = 0x80;
    private static final int RESERVED = 0x70;
    private static final int COMPRESSED = 0x40;
    private static final int OPCODE = 0x0F;
    private static final int MASKED = 0x80;
    private static final int LENGTH = 0x7F;
    private static final int LENGTH_IN_2_BYTES = 126;
    private static final int LENGTH_IN_8_BYTES = 127;
    private static final int LONGEST_CONTROL = 125;
    private static final int MASK_BYTES = 4;

    private final HttpInput in;
    private final boolean inflates;

    FrameReader(HttpInput in, boolean inflates) {
        this.in = in;
        this.inflates = inflates;
    }

    /**
     * Waits for the next frame.
     *
     * @param most how long the payload of a frame may be that is not a control frame
     */
    Frame read(long most) throws Violation, IOException {
        var first = in.next();
        var opcode = first & OPCODE;
        var isLast = (first & LAST) != 0;
        var isCompressed = inflates && (first & RESERVED) == COMPRESSED
                && (opcode == Frame.TEXT || opcode == Frame.BINARY);
        if ((first & RESERVED) != 0 && !isCompressed) {
            throw broken("reserved bits are set, but no extension was agreed on");
        }
        if (opcode > Frame.PONG || (opcode > Frame.BINARY && opcode < Frame.CLOSE)) {
            throw broken("there is no opcode " + opcode);
        }
        var second = in.next();
        if ((second & MASKED) == 0) {
            throw broken("a client's frames must be masked");
        }
        var length = length(second & LENGTH);
        if (Frame.isControl(opcode)) {
            if (!isLast || length > LONGEST_CONTROL) {
                throw broken("a control frame must be whole, and 125 bytes at most");
            }
        } else if (length > most) {
            throw new Violation(WebSocketClose.TOO_BIG, "the message is too long");
        }
        var mask = in.exactly(MASK_BYTES);
        var payload = length == 0 ? new byte[0] : in.exactly((int) length);
        for (var i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i % MASK_BYTES];
        }
        return new Frame(opcode, isLast, isCompressed, payload);
    }

    private long length(int marker) throws Violation, IOException {
        if (marker < LENGTH_IN_2_BYTES) {
            return marker;
        }
        var length = number(marker == LENGTH_IN_8_BYTES ? Long.BYTES : Short.BYTES);
        if (length < (marker == LENGTH_IN_8_BYTES ? 1 << Short.SIZE : LENGTH_IN_2_BYTES)) { // negative ones too
            throw broken("the length of a frame is not in its shortest form");
        }
        return length;
    }

    private long number(int bytes) throws IOException {
        var number = 0L;
        for (var i = 0; i < bytes; i++) {
            number = (number << Byte.SIZE) | (in.next() & 0xFF);
        }
        return number;
    }

    private static Violation broken(String why) {
        return new Violation(WebSocketClose.PROTOCOL_ERROR, why);
    }
}
