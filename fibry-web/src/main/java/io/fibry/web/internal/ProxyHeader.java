package io.fibry.web.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a proxy sends before the bytes of its client, in version 1 or 2 of the PROXY protocol: the address of the client.
 * No byte after it is read.
 */
final class ProxyHeader {
    private static final byte[] BINARY = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final int MOST_CHARS = 107;
    private static final int MOST_DIGITS = 5;
    private static final int HIGHEST_PORT = 65_535;
    private static final int REST = 4;
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP_4 = 0x11;
    private static final int TCP_6 = 0x21;
    private static final int BYTES_4 = 4;
    private static final int BYTES_6 = 16;

    private ProxyHeader() {
    }

    /**
     * Reads the header. Returns the client; empty if the connection is the proxy's own, or if the proxy does not know the
     * client.
     */
    static Optional<InetSocketAddress> read(InputStream in) throws IOException {
        var first = exactly(in, BINARY.length); // the shortest header is longer
        return Arrays.equals(first, BINARY) ? binary(in) : text(in, first);
    }

    private static byte[] exactly(InputStream in, int count) throws IOException {
        var bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the connection has ended in its PROXY header");
        }
        return bytes;
    }

    private static IOException wrong(String why) {
        return new IOException("the connection does not begin with a PROXY header: " + why);
    }

    private static Optional<InetSocketAddress> text(InputStream in, byte[] first) throws IOException {
        var line = new StringBuilder(new String(first, StandardCharsets.ISO_8859_1));
        if (line.indexOf("PROXY ") != 0) {
            throw wrong("it begins in another way");
        }
        while (line.lastIndexOf("\r\n") != line.length() - 2) {
            var next = in.read();
            if (next < 0) {
                throw new EOFException("the connection has ended in its PROXY header");
            }
            if (line.length() == MOST_CHARS) {
                throw wrong("its line is longer than " + MOST_CHARS + " characters");
            }
            line.append((char) next);
        }
        var words = line.substring(0, line.length() - 2).split(" ", -1);
        if (words[1].equals("UNKNOWN")) {
            return Optional.empty(); // what follows is to be ignored
        }
        if (words.length != 6 || (!words[1].equals("TCP4") && !words[1].equals("TCP6"))) {
            throw wrong("it needs a protocol, two addresses and two ports");
        }
        var isShort = words[1].equals("TCP4");
        address(words[3], isShort);
        port(words[5]);
        return Optional.of(new InetSocketAddress(address(words[2], isShort), port(words[4])));
    }

    private static InetAddress address(String word, boolean isShort) throws IOException {
        return AddressBlock.address(word)
                .filter(address -> isShort ? address instanceof Inet4Address : word.indexOf(':') >= 0)
                .orElseThrow(() -> wrong("a word is no address of its protocol"));
    }

    private static int port(String word) throws IOException {
        if (!word.matches("0|[1-9][0-9]{0," + (MOST_DIGITS - 1) + "}")
                || Integer.parseInt(word) > HIGHEST_PORT) {
            throw wrong("a word is no port");
        }
        return Integer.parseInt(word);
    }

    private static Optional<InetSocketAddress> binary(InputStream in) throws IOException {
        var rest = ByteBuffer.wrap(exactly(in, REST));
        var command = rest.get() & 0xFF;
        var family = rest.get() & 0xFF;
        var more = ByteBuffer.wrap(exactly(in, rest.getShort() & 0xFFFF));
        if (command == LOCAL) {
            return Optional.empty(); // the proxy looks whether the server is there
        }
        if (command != PROXY) {
            throw wrong("its version or its command is unknown: 0x" + Integer.toHexString(command));
        }
        var bytes = family == TCP_4 ? BYTES_4 : family == TCP_6 ? BYTES_6 : 0;
        if (bytes == 0) {
            return Optional.empty(); // neither of IPv4 nor of IPv6
        }
        if (more.remaining() < 2 * bytes + 2 * Short.BYTES) {
            throw wrong("it is too short for its addresses");
        }
        var address = new byte[bytes];
        more.get(address);
        var port = more.getShort(2 * bytes) & 0xFFFF;
        return Optional.of(new InetSocketAddress(InetAddress.getByAddress(address), port));
    }
}
