package io.fibry.codec;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Bytes that no codec has written. */
final class Tokens {
    private static final CBORMapper MAPPER = new CBORMapper();

    private Tokens() {
    }

    /** A list of anything. */
    static byte[] of(Object... parts) {
        return MAPPER.writeValueAsBytes(parts.length == 1 ? parts[0] : List.of(parts));
    }

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    static byte[] concat(byte[] a, byte[] b) {
        var both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
