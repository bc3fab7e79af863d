package io.fibry.web;

import io.fibry.testing.Patience;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A client of web sockets that can also do what it must not. */
final class RawSocket implements Closeable {
    static final int PIECE = 1 << 16;
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;
    private static final byte[] MASK = {1, 2, 3, 4};

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private String head = "";

    /** What the server has sent. */
    record Frame(int opcode, boolean isLast, boolean isCompressed, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }

        int closeCode() {
            return payload.length == 0 ? WebSocketClose.NONE : ByteBuffer.wrap(payload).getShort();
        }

        String closeReason() {
            return new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
        }
    }

    /** Connects, without a request. */
    RawSocket(int port) throws IOException {
        this(port, 0);
    }

    private RawSocket(int port, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(Patience.MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Opens a web socket. */
    static RawSocket open(int port, String path) throws IOException {
        return opened(new RawSocket(port), path);
    }

    /** Opens one for which little is kept in the client's system, so that a server feels soon that it does not read. */
    static RawSocket slow(int port, String path) throws IOException {
        return opened(new RawSocket(port, 4_096), path);
    }

    private static RawSocket opened(RawSocket raw, String path) throws IOException {
        var status = raw.ask(path);
        if (!status.startsWith("HTTP/1.1 101 ")) {
            raw.close();
            throw new IOException(status);
        }
        return raw;
    }

    /** Asks for a web socket; returns the first line of the answer. */
    String ask(String path, String... headers) throws IOException {
        return request("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\n" + String.join("", lines(headers)) + "\r\n");
    }

    private static String[] lines(String... headers) {
        var lines = headers.clone();
        for (var i = 0; i < lines.length; i++) {
            lines[i] += "\r\n";
        }
        return lines;
    }

    /** Sends a request; returns the first line of the answer. */
    String request(String request) throws IOException {
        raw(request.getBytes(StandardCharsets.UTF_8));
        var bytes = new ByteArrayOutputStream();
        while (!bytes.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            bytes.write(in.readUnsignedByte());
        }
        head = bytes.toString(StandardCharsets.ISO_8859_1);
        return head.substring(0, head.indexOf('\r'));
    }

    /** The head of the last answer. */
    String head() {
        return head;
    }

    void raw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void text(String text) throws IOException {
        frame(TEXT, true, text.getBytes(StandardCharsets.UTF_8));
    }

    void close(int code) throws IOException {
        frame(CLOSE, true, ByteBuffer.allocate(2).putShort((short) code).array());
    }

    void frame(int opcode, boolean isLast, byte[] payload) throws IOException {
        raw(bytes((isLast ? 0x80 : 0) | opcode, payload));
    }

    /** A frame with any first byte. */
    static byte[] bytes(int first, byte[] payload) {
        var frame = ByteBuffer.allocate(payload.length + 14).put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else if (payload.length < 65_536) {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (0x80 | 127)).putLong(payload.length);
        }
        frame.put(MASK);
        for (var i = 0; i < payload.length; i++) {
            frame.put((byte) (payload[i] ^ MASK[i % MASK.length]));
        }
        var bytes = new byte[frame.position()];
        frame.flip().get(bytes);
        return bytes;
    }

    Frame read() throws IOException {
        return read(() -> {
        });
    }

    /** In pieces of 64 KiB, with something to be done after each. */
    Frame read(Runnable afterEach) throws IOException {
        var first = in.readUnsignedByte();
        var length = (long) in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        var payload = new byte[(int) length];
        for (int read = 0; read < payload.length; read += PIECE) {
            in.readFully(payload, read, Math.min(PIECE, payload.length - read));
            afterEach.run();
        }
        return new Frame(first & 0x0F, (first & 0x80) != 0, (first & 0x40) != 0, payload);
    }

    /** The code of the next close frame, whatever comes before it. */
    int closeCode() throws IOException {
        for (var frame = read();; frame = read()) {
            if (frame.opcode() == CLOSE) {
                return frame.closeCode();
            }
        }
    }

    /** Waits until the server has closed the connection; true if it did so without an error. */
    boolean ends() throws IOException {
        try {
            while (in.read() >= 0) {
                // frames nobody asked for
            }
            return true;
        } catch (java.net.SocketException reset) {
            return false;
        }
    }

    /** Vanishes without a word of the web socket's protocol. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
