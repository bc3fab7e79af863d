package io.fibry.cluster.trial;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards connections to a server of this machine, or lets them end and takes no others. */
public final class DatabaseProxy implements AutoCloseable {
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final int first;
    private volatile int target;
    private volatile boolean isAway;

    DatabaseProxy(int target) throws IOException {
        this(InetAddress.getLoopbackAddress(), target);
    }

    /** Listens on an address of this machine that processes reach from their own networks. */
    public DatabaseProxy(InetAddress host, int target) throws IOException {
        server = new ServerSocket(0, 50, host);
        first = target;
        this.target = target;
        Thread.startVirtualThread(this::accept);
    }

    /** Returns the URL of a database with this proxy instead of its server. */
    public String through(String url) {
        return url.replace("localhost:" + first,
                server.getInetAddress().getHostAddress() + ":" + server.getLocalPort());
    }

    /** Forwards connections that come from now on to another server. */
    public void forwardTo(int port) {
        target = port;
    }

    /** The server is away, or back. */
    public void away(boolean away) throws IOException {
        isAway = away;
        if (away) {
            for (var each : sockets) {
                each.close();
            }
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                if (isAway) {
                    client.close();
                    continue;
                }
                var forwarded = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(forwarded);
                if (isAway) { // since a moment ago
                    client.close();
                }
                Thread.startVirtualThread(() -> pump(client, forwarded));
                Thread.startVirtualThread(() -> pump(forwarded, client));
            } catch (IOException closed) {
                // The proxy is closed, or the client has gone.
            }
        }
    }

    private void pump(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException cut) {
            // Both ends see it.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        away(true);
    }
}
