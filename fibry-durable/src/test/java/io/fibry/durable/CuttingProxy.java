package io.fibry.durable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Forwards connections to a server, and cuts all of them: after a number of bytes in both directions, or before a certain answer. */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final int target;
    /** How many bytes may still pass. */
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);
    /** The answer before which connections are cut; empty if there is none. */
    private final AtomicReference<String> lastWord = new AtomicReference<>("");
    private final AtomicInteger cuts = new AtomicInteger();

    CuttingProxy(int target) throws IOException {
        this.target = target;
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Cuts the connections when so many bytes have passed. */
    void cutAfter(long bytes) {
        left.set(bytes);
    }

    /** Cuts the connections before the next answer of the server that contains this text. */
    void cutBefore(String answer) {
        lastWord.set(answer);
    }

    /** Returns how many times connections were cut. */
    int cuts() {
        return cuts.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                forward(server.accept());
            } catch (IOException closed) {
                // The proxy is closed, or the client has gone.
            }
        }
    }

    private void forward(Socket client) throws IOException {
        Socket forwarded;
        try {
            forwarded = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException away) {
            client.close(); // or it would wait for ever
            return;
        }
        sockets.add(client);
        sockets.add(forwarded);
        Thread.startVirtualThread(() -> pump(client, forwarded, false));
        Thread.startVirtualThread(() -> pump(forwarded, client, true));
    }

    private void pump(Socket from, Socket to, boolean isAnswer) {
        try (from; to) {
            pump(from.getInputStream(), to.getOutputStream(), isAnswer);
        } catch (IOException cut) {
            // Both ends see it.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void pump(InputStream in, OutputStream out, boolean isAnswer) throws IOException {
        var bytes = new byte[8_192];
        for (int read = in.read(bytes); read > 0; read = in.read(bytes)) {
            var last = isAnswer ? lastWord.get() : "";
            if (!last.isEmpty() && new String(bytes, 0, read, StandardCharsets.ISO_8859_1).contains(last)
                    && lastWord.compareAndSet(last, "")) {
                cut(true);
                return;
            }
            long before = left.getAndAdd(-read);
            int passing = Math.clamp(before, 0, read);
            try {
                out.write(bytes, 0, passing);
            } finally {
                // Also where the other end has gone: nothing would pass again if these bytes were the last that may.
                if (passing < read) {
                    cut(before >= 0);
                }
            }
            if (passing < read) {
                return;
            }
        }
    }

    private void cut(boolean isFirst) throws IOException {
        if (isFirst) {
            left.set(Long.MAX_VALUE);
            cuts.incrementAndGet();
        }
        for (var socket : sockets) {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut(false);
    }
}
