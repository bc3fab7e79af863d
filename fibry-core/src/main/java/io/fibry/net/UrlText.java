package io.fibry.net;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Text that is encoded as in the query of a URI. Unlike the decoder of the JDK, this one refuses what is not UTF-8. */
final class UrlText {
    private UrlText() {
    }

    /** Finds the first value of a name. */
    static Optional<String> find(String query, String name) {
        for (var at = 0; at < query.length();) {
            var and = query.indexOf('&', at);
            var end = and < 0 ? query.length() : and;
            var equals = query.indexOf('=', at);
            var endOfName = equals < 0 || equals > end ? end : equals;
            if (decode(query.substring(at, endOfName)).equals(name)) {
                return Optional.of(endOfName == end ? "" : decode(query.substring(endOfName + 1, end)));
            }
            at = end + 1;
        }
        return Optional.empty();
    }

    static String decode(String encoded) {
        if (encoded.indexOf('%') < 0 && encoded.indexOf('+') < 0) {
            return encoded;
        }
        var bytes = ByteBuffer.allocate(encoded.length() * 3);
        for (var i = 0; i < encoded.length(); i++) {
            var c = encoded.charAt(i);
            if (c == '%') {
                if (i + 2 >= encoded.length()) {
                    throw malformed();
                }
                bytes.put((byte) (digit(encoded.charAt(i + 1)) << 4 | digit(encoded.charAt(i + 2))));
                i += 2;
            } else if (c == '+') {
                bytes.put((byte) ' ');
            } else if (c < 0x80) {
                bytes.put((byte) c);
            } else {
                var end = Character.isHighSurrogate(c) && i + 1 < encoded.length() ? i + 2 : i + 1;
                bytes.put(encoded.substring(i, end).getBytes(StandardCharsets.UTF_8));
                i = end - 1;
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw malformed();
        }
    }

    /** Returns content as text. */
    static String utf8(byte[] content) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            throw new HttpProblem(400, "the content is not UTF-8", e);
        }
    }

    private static int digit(char c) {
        var value = c < 0x80 ? Character.digit(c, 16) : -1;
        if (value < 0) {
            throw malformed();
        }
        return value;
    }

    private static HttpProblem malformed() {
        return new HttpProblem(400, "the query or form is not well encoded");
    }
}
