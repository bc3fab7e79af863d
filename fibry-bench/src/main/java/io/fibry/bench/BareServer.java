package io.fibry.bench;

import io.fibry.function.Handler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server without any library: a loop that accepts, and a virtual thread for each connection. */
final class BareServer implements AutoCloseable {
    private static final int BACKLOG = 1_024;

    private final ServerSocket listening = new ServerSocket();
    private final Handler<Socket> worker;

    BareServer(Handler<Socket> worker) throws IOException {
        this.worker = worker;
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var socket = listening.accept();
                Thread.startVirtualThread(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            worker.handle(socket);
        } catch (Exception clientIsGone) {
            // as the silent acceptor does
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
