package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A TCP server with an actor for each connection. */
final class TcpHello implements AutoCloseable {
    private static final byte[] ANSWER = answer("200 OK", "keep-alive", "Hello!");
    private static final byte[] LAST_ANSWER = answer("200 OK", "close", "Hello!");
    private static final byte[] TOO_LONG = answer("431 Request Header Fields Too Large", "close", "");

    private final Server server;

    private TcpHello(Server server) {
        this.server = server;
    }

    /** Starts a server on a port of 127.0.0.1; 0 takes any free one. */
    static TcpHello start(int port) throws IOException {
        var address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port);
        try {
            return new TcpHello(Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.address(address),
                    TcpHello::serve, null));
        } catch (UncheckedIOException e) {
            throw new IOException("cannot serve TCP on 127.0.0.1:" + port + ": " + e.getCause().getMessage()
                    + ". Choose another port with --tcp-port, or 0 for any free one.", e);
        }
    }

    private static byte[] answer(String status, String connection, String body) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\nConnection: "
                + connection + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
    }

    /** One client, from its first request to its last. Waiting for it costs no thread of the system. */
    private static void serve(Socket client) throws IOException {
        try (var in = new BufferedInputStream(client.getInputStream()); var out = client.getOutputStream()) {
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
        }
    }

    int port() {
        return server.port();
    }

    void waitUntilClosed() {
        server.waitForExit();
    }

    @Override
    public void close() {
        server.close();
    }
}
