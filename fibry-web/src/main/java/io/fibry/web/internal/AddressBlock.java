package io.fibry.web.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** Addresses that begin with the same bits. */
public final class AddressBlock {
    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");
    /** A text with a dot as its first character would be looked up as a name. */
    private static final Pattern IPV6 = Pattern.compile("(?=.*:.*:)[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}");

    private final byte[] start;
    private final int bits;
    private final String text;

    private AddressBlock(byte[] start, int bits, String text) {
        this.start = start;
        this.bits = bits;
        this.text = text;
    }

    /**
     * Reads a block.
     *
     * @param text an address, or an address, a slash and a number of bits
     * @return the block
     */
    public static AddressBlock of(String text) {
        var slash = text.indexOf('/');
        var start = address(slash < 0 ? text : text.substring(0, slash)).map(InetAddress::getAddress)
                .orElseThrow(() -> wrong(text, "it begins with no address"));
        var length = start.length * 8;
        if (slash >= 0 && !text.substring(slash + 1).matches("\\d{1,3}")) {
            throw wrong(text, "after the slash is no number of bits");
        }
        var bits = slash < 0 ? length : Integer.parseInt(text.substring(slash + 1));
        if (bits > length) {
            throw wrong(text, "such an address has " + length + " bits");
        }
        if (!Arrays.equals(start, masked(start, bits))) {
            throw wrong(text, "the address has bits beyond the first " + bits);
        }
        return new AddressBlock(start, bits, text);
    }

    private static IllegalArgumentException wrong(String text, String why) {
        return new IllegalArgumentException(
                "'" + text + "' is no block of addresses such as 10.0.0.0/8 or fd00::/8: " + why);
    }

    /** Returns the address of a text that is an address in numbers. No name is looked up. */
    static Optional<InetAddress> address(String text) {
        if (!IPV4.matcher(text).matches() && !IPV6.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(text));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static byte[] masked(byte[] address, int bits) {
        var masked = address.clone();
        for (var i = 0; i < masked.length; i++) {
            var kept = Math.clamp(bits - i * 8L, 0, 8);
            masked[i] &= (byte) (0xFF00 >> kept);
        }
        return masked;
    }

    /**
     * Tells whether an address belongs to the block.
     *
     * @param address the address
     * @return whether it begins with the bits of the block
     */
    public boolean contains(InetAddress address) {
        var bytes = address.getAddress();
        return bytes.length == start.length && Arrays.equals(masked(bytes, bits), start);
    }

    @Override
    public String toString() {
        return text;
    }
}
