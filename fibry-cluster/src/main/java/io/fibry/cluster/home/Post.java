package io.fibry.cluster.home;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An item in the stream from one node to another. */
sealed interface Post {
    byte MESSAGE = 1;
    byte ANSWER = 2;
    byte CANCEL = 3;
    byte PROBE = 4;
    byte NOTE = 5;

    /** A letter on its way, in a round of its route. */
    record Message(Letter letter, long round) implements Post {
    }

    /** The answer to an ask of the receiver. */
    record Answer(long ask, byte[] body) implements Post {
    }

    /** The sender does not wait for the answer to its ask any more. */
    record Cancel(long ask) implements Post {
    }

    /** What looks for a circle of asks goes along an ask of the sender. */
    record Probe(long ask, byte[] body) implements Post {
    }

    /** What a node tells another one about its workers, subscribers or slices. */
    record Note(String group, NodeLoad load) implements Post {
    }

    /** Returns the bytes of this item at a time: what remains of a letter's time travels as a duration. */
    default byte[] encode(long now) {
        return switch (this) {
            case Message message -> encode(message.letter, message.round, now);
            case Answer answer -> encode(ANSWER, answer.ask, answer.body);
            case Probe probe -> encode(PROBE, probe.ask, probe.body);
            case Cancel cancel -> ByteBuffer.allocate(1 + Long.BYTES).put(CANCEL).putLong(cancel.ask).array();
            case Note note -> encode(note.group.getBytes(StandardCharsets.UTF_8), note.load);
        };
    }

    private static byte[] encode(byte kind, long ask, byte[] body) {
        return ByteBuffer.allocate(1 + Long.BYTES + body.length).put(kind).putLong(ask).put(body).array();
    }

    private static byte[] encode(byte[] group, NodeLoad load) {
        return ByteBuffer.allocate(1 + Short.BYTES + group.length + 2 * Integer.BYTES).put(NOTE)
                .putShort((short) group.length).put(group).putInt(load.size()).putInt(load.pending()).array();
    }

    private static byte[] encode(Letter letter, long round, long now) {
        var group = letter.group.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer
                .allocate(
                        1 + Short.BYTES + group.length + Integer.BYTES + 3 * Long.BYTES + letter.body.length)
                .put(MESSAGE).putShort((short) group.length).put(group).putInt(letter.slice).putLong(round)
                .putLong(letter.ask).putLong(letter.remaining(now)).put(letter.body).array();
    }

    /** Whether bytes are those of a message, which its receiver reads as a {@link HomeDelivery}. */
    static boolean isMessage(byte[] bytes) {
        return bytes.length > 0 && bytes[0] == MESSAGE;
    }

    /** Reads an item that is no message; null if the bytes are none. */
    static @Nullable Post decode(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        try {
            return switch (in.get()) {
                case ANSWER -> new Answer(in.getLong(), rest(in));
                case CANCEL -> new Cancel(in.getLong());
                case PROBE -> new Probe(in.getLong(), rest(in));
                case NOTE -> new Note(text(in), new NodeLoad(in.getInt(), in.getInt()));
                default -> null;
            };
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }

    /** Reads a text, which its length precedes. */
    static String text(ByteBuffer in) {
        var text = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    static byte[] rest(ByteBuffer in) {
        var rest = new byte[in.remaining()];
        in.get(rest);
        return rest;
    }
}
