package io.fibry.web;

import io.fibry.testing.Patience;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A client of HTTP/2 that sends frames as it is told to. */
final class RawHttp2 implements Closeable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int PADDED = 8;
    static final int END_HEADERS = 4;
    static final int ENHANCE_YOUR_CALM = 11;
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    /** Of the table of HPACK: an indexed field, and names. */
    private static final int INDEXED = 0x80;
    private static final int METHOD_GET = 2;
    private static final int SCHEME_HTTP = 6;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;
    private static final int LONGEST = 126;
    private static final int INITIAL_WINDOW = 4;

    private final Socket socket;
    private final DataInputStream in;

    record Frame(int type, int flags, int stream, byte[] payload) {
        /** What a GOAWAY gives as the reason. */
        int error() {
            return ByteBuffer.wrap(payload).getInt(4);
        }
    }

    /** Connects, and sends preface and settings. */
    RawHttp2(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Sends preface and settings. */
    RawHttp2(Socket connected) throws IOException {
        socket = connected;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Patience.MILLIS);
        in = new DataInputStream(socket.getInputStream());
        var settings = frame(SETTINGS, 0, 0);
        send(ByteBuffer.allocate(PREFACE.length + settings.length).put(PREFACE).put(settings).array());
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Sends no more. */
    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length).putShort((short) (payload.length >> 8))
                .put((byte) payload.length).put((byte) type).put((byte) flags).putInt(stream).put(payload)
                .array();
    }

    /** The headers of a GET; a header that is null is left out, one after the three is any name and value. */
    static byte[] get(String path, String authority, String... others) throws IOException {
        var block = new ByteArrayOutputStream();
        block.write(INDEXED | METHOD_GET);
        block.write(INDEXED | SCHEME_HTTP);
        literal(block, PATH, path);
        if (authority != null) {
            literal(block, AUTHORITY, authority);
        }
        for (var i = 0; i < others.length; i += 2) {
            block.write(0);
            string(block, others[i]);
            string(block, others[i + 1]);
        }
        return block.toByteArray();
    }

    /** A block of these fields, names and values by turns, which are sent as they are. */
    static byte[] fields(String... namesAndValues) throws IOException {
        var block = new ByteArrayOutputStream();
        for (var i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            string(block, namesAndValues[i]);
            string(block, namesAndValues[i + 1]);
        }
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, int name, String value) throws IOException {
        block.write(name);
        string(block, value);
    }

    private static void string(ByteArrayOutputStream block, String value) throws IOException {
        var bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length > LONGEST) {
            throw new IOException("too long: " + value);
        }
        block.write(bytes.length);
        block.write(bytes);
    }

    /** Reads so many bytes, whatever they are. */
    void skip(int bytes) throws IOException {
        in.skipNBytes(bytes);
    }

    /** The next frame; nothing at the end of the connection. */
    Optional<Frame> read() throws IOException {
        try {
            var length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
            var type = in.readUnsignedByte();
            var flags = in.readUnsignedByte();
            var stream = in.readInt();
            var payload = new byte[length];
            in.readFully(payload);
            return Optional.of(new Frame(type, flags, stream, payload));
        } catch (EOFException | SocketException end) {
            return Optional.empty();
        }
    }

    /** The status that a stream is answered with; settings of the server are acknowledged. */
    int status(int stream) throws IOException {
        for (var frame = read(); frame.isPresent(); frame = read()) {
            var got = frame.get();
            if (got.type() == SETTINGS && got.flags() == 0) {
                send(frame(SETTINGS, ACK, 0));
            } else if (got.type() == HEADERS && got.stream() == stream) {
                return switch (got.payload()[0] & 0xFF) {
                    case 0x88 -> 200;
                    case 0x89 -> 204;
                    case 0x8C -> 400;
                    case 0x8D -> 404;
                    case 0x8E -> 500;
                    default -> throw new IOException("a status that the table does not have");
                };
            } else if (got.type() == GOAWAY) {
                throw new IOException("GOAWAY " + got.error());
            }
        }
        throw new IOException("the connection ended");
    }

    /** The next number of bytes for which the server makes room on a stream, beside the 65,535 at its start. */
    int grant(int stream) throws IOException {
        for (var frame = read(); frame.isPresent(); frame = read()) {
            var got = frame.get();
            if (got.type() == WINDOW_UPDATE && got.stream() == stream) {
                return ByteBuffer.wrap(got.payload()).getInt();
            }
            if (got.type() == SETTINGS && got.flags() == 0) {
                for (var settings = ByteBuffer.wrap(got.payload()); settings.hasRemaining();) {
                    if (settings.getShort() == INITIAL_WINDOW) {
                        return settings.getInt() - 65_535;
                    }
                    settings.getInt();
                }
            }
            if (got.type() == GOAWAY || got.type() == RST_STREAM) {
                throw new IOException("frame " + got.type() + " instead of room");
            }
        }
        throw new IOException("the connection ended");
    }

    /** How a stream ends: with a status and content, RST with a code, GOAWAY with a code, or END of the connection. */
    String outcome(int stream) throws IOException {
        var status = "";
        var content = new ByteArrayOutputStream();
        for (var frame = read(); frame.isPresent(); frame = read()) {
            var got = frame.get();
            if (got.type() == SETTINGS && got.flags() == 0) {
                send(frame(SETTINGS, ACK, 0));
            } else if (got.type() == GOAWAY) {
                return "GOAWAY " + got.error();
            } else if (got.stream() == stream && got.type() == RST_STREAM) {
                return "RST " + ByteBuffer.wrap(got.payload()).getInt();
            } else if (got.stream() == stream && (got.type() == HEADERS || got.type() == DATA)) {
                if (got.type() == HEADERS) {
                    status = switch (got.payload()[0] & 0xFF) {
                        case 0x88 -> "200";
                        case 0x8C -> "400";
                        case 0x8E -> "500";
                        default -> "another status";
                    };
                } else {
                    content.writeBytes(got.payload());
                }
                if ((got.flags() & END_STREAM) != 0) {
                    return (status + " " + content.toString(StandardCharsets.ISO_8859_1)).strip();
                }
            }
        }
        return "END";
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
