package io.fibry.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a letter carries: what its sender wants, the context of its sender, and the message.
 *
 * @param want what its sender wants
 * @param context the context as bytes, of which there are less than 65536
 * @param id the id of the message, which the outbox of a durable actor has sent; empty if it has none
 * @param message the message as bytes
 */
record LetterBody(Want want, byte[] context, String id, byte[] message) {
    /** What the sender of a message wants. */
    enum Want {
        /** Nothing. */
        TELL(0),
        /** The answer. */
        ANSWER(1),
        /** The answer to a request. */
        REPLY(2),
        /** The fate. */
        FATE(3),
        /** The answer; the message has an id. */
        IDENTIFIED(4);

        /** Its number in a letter, which never changes. */
        private final byte code;

        Want(int code) {
            this.code = (byte) code;
        }
    }

    LetterBody(Want want, byte[] context, byte[] message) {
        this(want, context, "", message);
    }

    byte[] bytes() {
        var ids = want == Want.IDENTIFIED ? id.getBytes(StandardCharsets.UTF_8) : null;
        var bytes = ByteBuffer.allocate(1 + Short.BYTES + context.length
                + (ids == null ? 0 : Integer.BYTES + ids.length) + message.length);
        bytes.put(want.code).putShort((short) context.length).put(context);
        if (ids != null) {
            bytes.putInt(ids.length).put(ids);
        }
        return bytes.put(message).array();
    }

    /** How many bytes it has, about. */
    int size() {
        return context.length + message.length;
    }

    static LetterBody of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        try {
            var want = want(in.get());
            var context = bytes(in, Short.toUnsignedInt(in.getShort()));
            var id = want == Want.IDENTIFIED ? new String(bytes(in, in.getInt()), StandardCharsets.UTF_8)
                    : "";
            return new LetterBody(want, context, id, bytes(in, in.remaining()));
        } catch (BufferUnderflowException tooShort) {
            throw new ClusterException("a letter of " + bytes.length + " bytes is cut off", tooShort);
        }
    }

    private static byte[] bytes(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        var part = new byte[length];
        in.get(part);
        return part;
    }

    private static Want want(byte code) {
        for (var known : Want.values()) {
            if (known.code == code) {
                return known;
            }
        }
        throw new ClusterException("a letter wants " + code
                + ", which this node does not know: update the older of both nodes");
    }
}
