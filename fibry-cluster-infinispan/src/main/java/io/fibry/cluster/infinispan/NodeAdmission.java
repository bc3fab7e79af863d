package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NodeCertificates;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** What a process must show before it is listened to. Thread-safe. */
sealed interface NodeAdmission {
    /**
     * Waits until the other side has shown it, within the time limit of the socket.
     *
     * @return what is read from and written to from now on
     */
    Socket admit(ArrivedSocket arrived) throws IOException;

    /** A certificate that is trusted. */
    record ByCertificate(SSLContext context) implements NodeAdmission {
        @Override
        public Socket admit(ArrivedSocket arrived) throws IOException {
            var secure = (SSLSocket) context.getSocketFactory().createSocket(arrived, null, arrived.getPort(),
                    true);
            secure.setUseClientMode(false);
            secure.setNeedClientAuth(true);
            secure.setEnabledProtocols(new String[]{NodeCertificates.PROTOCOL});
            secure.startHandshake();
            return secure;
        }
    }

    /**
     * The bytes that begin each connection of JGroups: a greeting, a version and the address of the other side. JGroups reads all of them on the thread that
     * accepts, so those who are silent would hold up others.
     */
    record ByGreeting() implements NodeAdmission {
        private static final byte[] GREETING = "bela".getBytes(StandardCharsets.US_ASCII);
        /** The numbers of bytes of the two kinds of addresses, of the longer one without its scope. */
        private static final byte IPV4 = 4;
        private static final byte IPV6 = 16;
        /** With the version, a length that is not used, and the number of bytes of the address. */
        private static final int FIRST = GREETING.length + 2 * Short.BYTES + 1;

        @Override
        public Socket admit(ArrivedSocket arrived) throws IOException {
            if (!Arrays.equals(arrived.peek(GREETING.length), GREETING)) {
                throw new ProtocolException("its first bytes are not those of a node");
            }
            var bytes = require(arrived, FIRST)[FIRST - 1];
            var scope = switch (bytes) {
                case 0, IPV4 -> 0;
                case IPV6 -> Integer.BYTES;
                default -> throw new ProtocolException("its address has " + bytes + " bytes");
            };
            var unused = require(arrived, FIRST + bytes + scope + Short.BYTES);
            return arrived;
        }

        private static byte[] require(ArrivedSocket arrived, int size) throws IOException {
            var first = arrived.peek(size);
            if (first.length < size) {
                throw new EOFException("it has ended after " + first.length + " bytes");
            }
            return first;
        }
    }

    /** A connection whose first bytes can be read twice. */
    final class ArrivedSocket extends Socket {
        private byte[] first = {};

        /** Waits for the first byte; returns false if the connection ends before it, or the time limit of the socket is over. */
        boolean speaks() throws IOException {
            try {
                return peek(1).length == 1;
            } catch (SocketTimeoutException silent) {
                return false;
            }
        }

        private byte[] peek(int size) throws IOException {
            var more = super.getInputStream().readNBytes(size - first.length);
            var both = Arrays.copyOf(first, first.length + more.length);
            System.arraycopy(more, 0, both, first.length, more.length);
            first = both;
            return both.clone();
        }

        @Override
        public InputStream getInputStream() throws IOException {
            if (first.length == 0) {
                return super.getInputStream();
            }
            var again = new PushbackInputStream(super.getInputStream(), first.length);
            again.unread(first);
            first = new byte[0];
            return again;
        }
    }
}
