package io.fibry.docs;

import io.fibry.Stereotypes;
import io.fibry.net.Client;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** The article's TCP server as it is printed, but for the port, which must be free here. It never ends by itself. */
final class ArticleTcp {
    private static int port;

    private ArticleTcp() {
    }

    public static void main(String[] args) throws Exception {
        port = freePort();
        Thread.ofPlatform().start(ArticleTcp::article);
        System.out.println(request());
        Runtime.getRuntime().halt(0);
    }

    /** One that nobody is given who takes any: so nobody gets it before the article does. */
    private static int freePort() throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            try (var free = new ServerSocket(ThreadLocalRandom.current().nextInt(10_000, 30_000))) {
                return free.getLocalPort();
            } catch (BindException taken) {
                System.out.println(taken.getMessage());
            }
        }
        throw new IOException("no port is free");
    }

    private static void article() {
        Stereotypes.def().tcpAcceptorSilent(port, conn -> {
            try (var is = conn.getInputStream(); var os = conn.getOutputStream()) {
                while (is.read() != '\n' || is.read() != '\r' || is.read() != '\n') {
                }
                os.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nHello!".getBytes());
            }
        }, null).waitForExit();
    }

    private static String request() throws IOException {
        Waits.until("it listens", ArticleTcp::listens);
        // Who goes away without a word must not keep a processor.
        for (int i = 0; i < 100; i++) {
            new Client(port).close();
        }
        try (var client = new Client(port)) {
            return client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").rest();
        }
    }

    private static boolean listens() {
        try (var client = new Client(port)) {
            client.reset();
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }
}
