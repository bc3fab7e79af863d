package io.fibry.examples;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A TCP server with an actor for each connection.
 *
 * <p>Look at {@code serve}: the whole life of a connection is one piece of straight-line code that blocks.
 */
public final class TcpHello implements AutoCloseable {
    private static final byte[] ANSWER = answer("200 OK", "keep-alive", "Hello!");
    private static final byte[] LAST_ANSWER = answer("200 OK", "close", "Hello!");
    private static final byte[] TOO_LONG = answer("431 Request Header Fields Too Large", "close", "");

    private final Server server;

    private TcpHello(Server server) {
        this.server = server;
    }

    /** Starts a server on a port of 127.0.0.1. The port 0 stands for any free port. */
    static TcpHello start(int port) {
        return new TcpHello(
                Stereotypes.fibers().tcpAcceptorSilent(TcpOptions.localPort(port), TcpHello::serve, null));
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var hello = start(Options.read(args, Option.port(8081)).port());
        System.out.printf("""
                127.0.0.1:%1$d   an actor for each connection; speaks just enough HTTP

                Try in another terminal:
                  curl http://127.0.0.1:%1$d/            Hello!
                  ab -k -n 50000 -c 100 http://127.0.0.1:%1$d/
                expect "Failed requests: 0", and tens of thousands of requests a second.
                """, hello.port());
        CtrlC.closes(hello);
    }

    private static byte[] answer(String status, String connection, String body) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\nConnection: "
                + connection + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
    }

    /** Serves one client, from its first request to its last. While it waits, it holds no thread of the system. */
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

    @Override
    public void close() {
        server.close();
    }
}
