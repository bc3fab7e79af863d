package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP server with an actor that accepts connections, and a new actor for each of them. */
final class TcpHello implements AutoCloseable {
    private static final byte[] ANSWER = answer("200 OK", "keep-alive", "Hello!");
    private static final byte[] LAST_ANSWER = answer("200 OK", "close", "Hello!");
    private static final byte[] TOO_LONG = answer("431 Request Header Fields Too Large", "close", "");

    private final ActorScope scope = ActorScope.configure("tcp-hello").strategy(CreationStrategy.fibers())
            .open();
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final Actor<Socket, Void> connections =
            Stereotypes.with(scope.anonymous()).workers(this::serve);
    private final ServerSocket server;
    private final Actor<Object, Void> acceptor;

    private TcpHello(ServerSocket server) {
        this.server = server;
        acceptor = Stereotypes.with(scope.named("acceptor")).runOnce(this::acceptAll);
    }

    /** Starts a server on a port of 127.0.0.1; 0 takes any free one. */
    static TcpHello start(int port) throws IOException {
        var server = new ServerSocket();
        try {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 1_000);
            return new TcpHello(server);
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot serve TCP on 127.0.0.1:" + port + ": " + e.getMessage()
                    + ". Choose another port with --tcp-port, or 0 for any free one.", e);
        }
    }

    private static byte[] answer(String status, String connection, String body) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\nConnection: "
                + connection + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
    }

    private void acceptAll() throws InterruptedException {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                clients.add(client);
                connections.sendMessage(client);
            } catch (IOException e) {
                if (!server.isClosed()) {
                    System.err.println("cannot accept a connection: " + e.getMessage());
                    Thread.sleep(100); // too many open files, for instance: asking at once would not help
                }
            }
        }
    }

    /** One client, from its first request to its last. Waiting for it costs no thread of the system. */
    private void serve(Socket client) {
        try (client; var in = new BufferedInputStream(client.getInputStream())) {
            client.setTcpNoDelay(true);
            var out = client.getOutputStream();
            while (true) {
                switch (RequestHead.read(in)) {
                    case KEEP_ALIVE -> out.write(ANSWER);
                    case LAST -> {
                        out.write(LAST_ANSWER);
                        return;
                    }
                    case TOO_LONG -> {
                        out.write(TOO_LONG);
                        return;
                    }
                    case NONE -> {
                        return;
                    }
                }
            }
        } catch (IOException clientIsGone) {
            // Clients come and go; that is no failure of ours.
        } finally {
            clients.remove(client);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    void waitUntilClosed() {
        acceptor.waitForExit();
    }

    @Override
    public void close() {
        closeQuietly(server);
        acceptor.waitForExit(); // from here on no client is added
        clients.forEach(TcpHello::closeQuietly);
        scope.close();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            System.err.println("closing " + socket + ": " + e.getMessage());
        }
    }
}
