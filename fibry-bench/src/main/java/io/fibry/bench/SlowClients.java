package io.fibry.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Clients that each have a connection of their own and send one request. */
final class SlowClients {
    private static final int PATIENCE_MILLIS = 60_000;

    private SlowClients() {
    }

    /** Lets all clients send at once. Returns how long it took until all had their answers. */
    static double millisForAll(int port, int count) throws InterruptedException {
        var start = System.nanoTime();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<String>>();
            for (int i = 0; i < count; i++) {
                answers.add(clients.submit(() -> ask(port)));
            }
            for (var answer : answers) {
                if (!answer.get().startsWith("HTTP/1.1 200 ")) {
                    throw new AssertionError("a client was answered '" + answer.get() + "'");
                }
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a client was not answered", e);
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static String ask(int port) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(
                    "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
