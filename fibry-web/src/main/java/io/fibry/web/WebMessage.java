package io.fibry.web;

import io.fibry.net.HttpJson;
import java.util.Objects;

/** A message that can be sent to the actor of a web socket. */
public sealed interface WebMessage {
    /**
     * Returns a text message.
     *
     * @param text the text
     * @return the message
     */
    static Text text(String text) {
        return new Text(text);
    }

    /**
     * Returns a text message that is a value as JSON. A message that goes to many sockets needs to be made only once.
     *
     * @param json writes the value
     * @param value the value
     * @return the message
     */
    static Text json(HttpJson json, Object value) {
        return new Text(json.text(value));
    }

    /**
     * Returns a message that consists of bytes.
     *
     * @param bytes the bytes; they must not be changed any more
     * @return the message
     */
    static Binary binary(byte[] bytes) {
        return new Binary(bytes);
    }

    /**
     * A text message.
     *
     * @param text the text
     */
    record Text(String text) implements WebMessage {
        /**
         * Checks that the text is not null.
         *
         * @param text not null
         */
        public Text {
            Objects.requireNonNull(text, "text");
        }
    }

    /** A message that consists of bytes. */
    final class Binary implements WebMessage {
        private final byte[] bytes;

        private Binary(byte[] bytes) {
            this.bytes = Objects.requireNonNull(bytes, "bytes");
        }

        /**
         * Returns the bytes.
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
