package io.fibry.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A server socket without a port: its connections are those that a test adds. Thread-safe. */
final class SocketQueue extends ServerSocket {
    private static final InetSocketAddress ADDRESS =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), SocketPair.SERVER_PORT);

    private final BlockingQueue<Socket> waiting = new LinkedBlockingQueue<>();
    /** What wakes the thread that accepts, after the close. */
    private final Socket end = new Socket();
    private volatile boolean isClosed;

    SocketQueue() throws IOException {
        // bound to nothing
    }

    /** Adds a connection, unless the queue is closed. A close at the same time sees it, or is seen here. */
    void add(Socket server) throws IOException {
        waiting.add(server);
        if (isClosed && waiting.remove(server)) {
            server.close();
            throw new SocketException("Connection refused: the server is being stopped, or has stopped");
        }
    }

    @Override
    public Socket accept() throws IOException {
        try {
            var next = waiting.take();
            if (next == end) {
                waiting.add(end);
                throw new SocketException("Socket closed");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketException("Closed by interrupt");
        }
    }

    /** Ends {@link #accept}, and closes the connections that were not accepted. */
    @Override
    public void close() throws IOException {
        isClosed = true;
        for (var left = waiting.poll(); left != null; left = waiting.poll()) {
            left.close();
        }
        waiting.add(end);
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return ADDRESS;
    }
}
