package io.fibry.net;

import io.fibry.testing.Patience;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends what it is told to, well formed or not, and reads answers. */
final class RawHttp implements AutoCloseable {
    static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    final Socket socket;
    private final InputStream in;

    record Answer(int status, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.get(name);
        }
    }

    RawHttp(Server server) throws IOException {
        this(server.port());
    }

    RawHttp(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Patience.MILLIS);
        in = socket.getInputStream();
    }

    RawHttp send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    Answer get(String path) throws IOException {
        return ask("GET", path);
    }

    Answer ask(String method, String path) throws IOException {
        return send(method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").receive(!method.equals("HEAD"));
    }

    Answer receive() throws IOException {
        return receive(true);
    }

    /** One answer, read to its end as its headers say. */
    Answer receive(boolean withBody) throws IOException {
        var status = line();
        if (!status.startsWith("HTTP/1.1 ")) {
            throw new IOException("no answer but '" + status + "'");
        }
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        for (var line = line(); !line.isEmpty(); line = line()) {
            headers.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1).strip());
        }
        return new Answer(Integer.parseInt(status.substring(9, 12)), headers, withBody ? body(headers) : "");
    }

    private String body(Map<String, String> headers) throws IOException {
        if (headers.containsKey("Content-Length")) {
            var length = Integer.parseInt(headers.get("Content-Length"));
            var bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new IOException("the answer broke off after " + bytes.length + " of " + length);
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (headers.getOrDefault("Transfer-Encoding", "").toLowerCase(Locale.ROOT).equals("chunked")) {
            var text = new StringBuilder();
            for (var chunk = chunk(); !chunk.isEmpty(); chunk = chunk()) {
                text.append(chunk);
            }
            return text.toString();
        }
        return "";
    }

    /** One piece of an answer in chunks; empty at its end. */
    String chunk() throws IOException {
        var length = Integer.parseInt(line(), 16);
        var bytes = in.readNBytes(length);
        if (!line().isEmpty()) {
            throw new IOException("no end of a chunk");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Up to a line end; fails at the end of the stream. */
    String line() throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (var b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the connection ended after '" + bytes + "'");
            }
            bytes.write(b);
        }
        return bytes.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    /** Whether nothing more comes, because the server has closed or reset the connection. */
    boolean isOver() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
