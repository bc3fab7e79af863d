package io.fibry.web;

import java.util.Objects;

/** What can be sent to a web socket's actor. */
public sealed interface WebMessage {
    /**
     * A text.
     *
     * @param text the text
     * @return the message
     */
    static Text text(String text) {
        return new Text(text);
    }

    /**
     * Bytes.
     *
     * @param bytes the bytes; they must not be changed any more
     * @return the message
     */
    static Binary binary(byte[] bytes) {
        return new Binary(bytes);
    }

    /**
     * A text.
     *
     * @param text the text
     */
    record Text(String text) implements WebMessage {
        /**
         * Checks that it is there.
         *
         * @param text not null
         */
        public Text {
            Objects.requireNonNull(text, "text");
        }
    }

    /** Bytes. */
    final class Binary implements WebMessage {
        private final byte[] bytes;

        private Binary(byte[] bytes) {
            this.bytes = Objects.requireNonNull(bytes, "bytes");
        }

        /**
         * The bytes.
         *
         * @return the bytes themselves, not a copy
         */
        public byte[] bytes() {
            return bytes;
        }

        @Override
        public String toString() {
            return "Binary[" + bytes.length + " bytes]";
        }
    }
}
