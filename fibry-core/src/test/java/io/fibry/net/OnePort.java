package io.fibry.net;

import io.fibry.testing.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A server that answers every request with a text of its own making, one connection after the other. */
final class OnePort implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch gone = new CountDownLatch(1);

    OnePort(Function<Socket, String> answer) throws IOException {
        Thread.ofPlatform().daemon().start(() -> serve(answer));
    }

    private void serve(Function<Socket, String> answer) {
        try {
            while (true) {
                try (var socket = listening.accept()) {
                    var in = socket.getInputStream();
                    for (int seen = 0; seen != 0x0D0A0D0A; seen = seen << 8 | in.read()) {
                        // up to the end of the headers
                    }
                    requests.incrementAndGet();
                    socket.getOutputStream().write(answer.apply(socket).getBytes());
                    if (in.read() < 0) {
                        gone.countDown();
                    }
                } catch (SocketException e) {
                    if (listening.isClosed()) {
                        return;
                    }
                    gone.countDown();
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/x");
    }

    int requests() {
        return requests.get();
    }

    /** Waits until the client has closed a connection. */
    void awaitGone() throws InterruptedException {
        if (!gone.await(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the client is still there");
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
