package io.fibry.web.internal;

import io.fibry.web.WebSocketClose;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/** Decodes a text that comes in pieces. A piece may end inside a character. The first piece that is wrong is refused. */
final class Utf8 {
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final StringBuilder text = new StringBuilder();
    private ByteBuffer rest = ByteBuffer.allocate(0);

    void add(byte[] piece, boolean isLast) throws Violation {
        var bytes = rest.hasRemaining() ? joined(piece) : ByteBuffer.wrap(piece);
        // One byte becomes at most one char.
        var chars = CharBuffer.allocate(bytes.remaining());
        var result = decoder.decode(bytes, chars, isLast);
        if (result.isError()) {
            throw new Violation(WebSocketClose.INVALID_TEXT, "a text must be UTF-8");
        }
        text.append(chars.flip());
        rest = bytes;
    }

    private ByteBuffer joined(byte[] piece) {
        return ByteBuffer.allocate(rest.remaining() + piece.length).put(rest).put(piece).flip();
    }

    /** Returns the text. */
    String whole() {
        return text.toString();
    }

    /** Decodes a whole text, which closes a socket if it is wrong; HTTP has {@code HttpText.utf8}, which refuses a request. */
    static String decode(byte[] bytes) throws Violation {
        var utf8 = new Utf8();
        utf8.add(bytes, true);
        return utf8.whole();
    }
}
