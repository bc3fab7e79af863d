package io.fibry.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Replaces a load program that is not installed. It shares the processors and the JVM with the server. */
record OwnLoad(boolean keepAlive, int requests, int clients) {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_ANSWER = 1_024;

    String asText() {
        return "%,d requests%s by %d threads of this JVM".formatted(requests,
                keepAlive ? ", kept alive" : "", clients);
    }

    /** Returns how many requests were answered in a second. */
    double run(int port) throws InterruptedException, ExecutionException {
        var left = new AtomicInteger(requests);
        var start = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var running : threads.invokeAll(
                    java.util.Collections.nCopies(clients, () -> work(port, left)))) {
                running.get();
            }
        }
        return requests / ((System.nanoTime() - start) / 1e9);
    }

    private Void work(int port, AtomicInteger left) throws IOException {
        while (left.get() > 0) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                do {
                    if (left.getAndDecrement() <= 0) {
                        return null;
                    }
                    ask(socket);
                } while (keepAlive);
            }
        }
        return null;
    }

    private static void ask(Socket socket) throws IOException {
        socket.getOutputStream().write(REQUEST);
        var answer = "";
        while (!answer.endsWith("Hello!")) {
            var bytes = new byte[MAX_ANSWER];
            int count = socket.getInputStream().read(bytes);
            if (count < 0) {
                throw new IOException("the server ended after '" + answer + "'");
            }
            answer += new String(bytes, 0, count, StandardCharsets.US_ASCII);
        }
    }
}
