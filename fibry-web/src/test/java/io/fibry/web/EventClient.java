package io.fibry.web;

import io.fibry.testing.Patience;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client of server-sent events, of HTTP/1.0, whose answers have no chunks. */
final class EventClient implements Closeable {
    private final Socket socket = new Socket();
    private final InputStream in;
    private final List<String> head = new ArrayList<>();

    EventClient(int port, String path, String... headers) throws IOException {
        socket.setReceiveBufferSize(4_096); // so that a server feels soon that it does not read
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(Patience.MILLIS);
        var more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        socket.getOutputStream().write(("GET " + path + " HTTP/1.0\r\nHost: localhost\r\n" + more + "\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        in = socket.getInputStream();
        for (var line = line(); !line.isEmpty(); line = line()) {
            head.add(line);
        }
    }

    String status() {
        return head.getFirst();
    }

    /** The next line; null stands for the end. */
    String line() throws IOException {
        var text = new StringBuilder();
        for (var next = in.read();; next = in.read()) {
            if (next < 0 || next == '\n') {
                return next < 0 ? "END" : text.toString().replace("\r", "");
            }
            text.append((char) next);
        }
    }

    /** The lines of the next event. */
    String event() throws IOException {
        var lines = new ArrayList<String>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            lines.add(line);
            if (line.equals("END")) {
                break;
            }
        }
        return String.join("|", lines);
    }

    /** Ends its output; it can still read. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends the connection by a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
