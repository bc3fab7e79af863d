package io.fibry.web.internal;

import io.fibry.web.WebMessage;
import io.fibry.web.WebSocketClose;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Puts a message together that comes in fragments. */
final class Message {
    /** Stands for no message. */
    private static final int NONE = -1;
    private static final int SLACK_PART = 1_000;
    private static final int SLACK = 64;

    private final int most;
    private final Utf8 text = new Utf8();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
    private int kind = NONE;
    private int size;
    private final @Nullable MessageInflater inflater;
    private boolean isCompressed;

    Message(int most, @Nullable MessageInflater inflater) {
        this.most = most;
        this.inflater = inflater;
    }

    /** Returns how long the next fragment may be when it is sent. Compression may make it a little longer. */
    long room() {
        var left = (long) most - size;
        return inflater == null ? left : left + left / SLACK_PART + SLACK;
    }

    /** Adds a fragment, or a whole message. Returns the message if this was the last fragment; the next needs a new object. */
    @Nullable WebMessage add(Frame frame) throws Violation {
        if ((frame.opcode() == Frame.CONTINUATION) != (kind != NONE)) {
            throw new Violation(WebSocketClose.PROTOCOL_ERROR, kind == NONE
                    ? "there is no message to continue"
                    : "a message begins before the last one has ended");
        }
        if (kind == NONE) {
            kind = frame.opcode();
        }
        var payload = payload(frame);
        size += payload.length;
        if (kind == Frame.TEXT) {
            text.add(payload, frame.isLast());
        } else if (!frame.isLast() || bytes.size() > 0) {
            bytes.writeBytes(payload);
        }
        return !frame.isLast() ? null : kind == Frame.TEXT ? WebMessage.text(text.whole())
                : WebMessage.binary(bytes.size() > 0 ? bytes.toByteArray() : payload);
    }

    private byte[] payload(Frame frame) throws Violation {
        if (frame.opcode() != Frame.CONTINUATION) {
            isCompressed = frame.isCompressed();
        }
        if (isCompressed && inflater != null) {
            return inflater.inflate(frame.payload(), frame.isLast(), most - size);
        }
        if (frame.payload().length > most - size) {
            throw new Violation(WebSocketClose.TOO_BIG, "the message is too long");
        }
        return frame.payload();
    }

    /** Returns the code and the reason in a close frame. */
    static WebSocketClose close(byte[] payload) throws Violation {
        if (payload.length == 0) {
            return new WebSocketClose(WebSocketClose.NONE, "");
        }
        if (payload.length < Short.BYTES) {
            throw new Violation(WebSocketClose.PROTOCOL_ERROR, "a close frame has a whole code or none");
        }
        var code = ByteBuffer.wrap(payload).getShort() & 0xFFFF;
        var reason = Utf8.decode(Arrays.copyOfRange(payload, Short.BYTES, payload.length));
        if (code < WebSocketClose.NORMAL || code > 4999 || !new WebSocketClose(code, reason).isSendable()) {
            throw new Violation(WebSocketClose.PROTOCOL_ERROR, "close code " + code + " must not be sent");
        }
        return new WebSocketClose(code, reason);
    }
}
