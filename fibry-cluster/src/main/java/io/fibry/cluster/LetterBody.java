package io.fibry.cluster;

import java.util.Arrays;

/**
 * What a letter carries: what its sender wants, and the message.
 *
 * @param want what its sender wants
 * @param message the message as bytes
 */
record LetterBody(Want want, byte[] message) {
    /** What the sender of a message wants. */
    enum Want {
        /** Nothing. */
        TELL(0),
        /** The answer. */
        ANSWER(1),
        /** The answer to a request. */
        REPLY(2),
        /** The fate. */
        FATE(3);

        /** Its number in a letter, which never changes. */
        private final byte code;

        Want(int code) {
            this.code = (byte) code;
        }
    }

    byte[] bytes() {
        var bytes = new byte[1 + message.length];
        bytes[0] = want.code;
        System.arraycopy(message, 0, bytes, 1, message.length);
        return bytes;
    }

    static LetterBody of(byte[] bytes) {
        for (var known : Want.values()) {
            if (bytes.length > 0 && bytes[0] == known.code) {
                return new LetterBody(known, Arrays.copyOfRange(bytes, 1, bytes.length));
            }
        }
        throw new ClusterException("a letter wants " + (bytes.length == 0 ? "nothing" : bytes[0])
                + ", which this node does not know: update the older of both nodes");
    }
}
