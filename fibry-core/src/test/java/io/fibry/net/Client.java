package io.fibry.net;

import io.fibry.testing.Patience;
import io.fibry.testing.ThreadsDump;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A TCP client that waits at most ten seconds for anything. */
public final class Client implements AutoCloseable {
    final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    public Client(Server server) throws IOException {
        this(server.port());
    }

    public Client(int port) throws IOException {
        this(connected(port));
    }

    public Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(Patience.MILLIS);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    private static Socket connected(int port) throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Patience.MILLIS);
        return socket;
    }

    public Client send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Up to the next line feed, which is not returned; fails at the end of the stream. */
    public String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection has ended after '" + line + "'");
            }
            line.append((char) next);
        }
        return line.toString();
    }

    public String ask(String line) throws IOException {
        return send(line + "\n").line();
    }

    /** All there is up to the end of the stream. */
    public String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Whether the server has closed the connection, in whatever way; a time-out is a failure. */
    public boolean isCut() throws IOException {
        try {
            in.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (java.net.SocketTimeoutException stillOpen) {
            if (socket.getSoTimeout() == Patience.MILLIS) {
                stillOpen.addSuppressed(new AssertionError(ThreadsDump.ofOurs()));
            }
            throw stillOpen;
        } catch (IOException reset) {
            return true;
        }
    }

    /** Whether nobody listens on a port any more; at once, so that it may be asked again and again. */
    public static boolean isRefused(int port) {
        try (var client = new Client(port)) {
            client.socket.setSoTimeout(20);
            return client.isCut();
        } catch (java.net.SocketTimeoutException served) {
            return false;
        } catch (IOException refused) {
            return true;
        }
    }

    public Client half() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    public String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
