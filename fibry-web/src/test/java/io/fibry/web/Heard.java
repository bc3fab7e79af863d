package io.fibry.web;

import io.fibry.testing.Patience;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Writes down what a handler is called for. */
class Heard implements WebSocketHandler {
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    final List<WebSocket> sockets = new CopyOnWriteArrayList<>();

    /** The next call; fails if there is none. */
    String next() throws InterruptedException {
        var call = calls.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        if (call == null) {
            throw new AssertionError("nothing more was called");
        }
        return call;
    }

    /** What was called and not asked for yet. */
    List<String> rest() {
        return List.copyOf(calls);
    }

    @Override
    public void opened(WebSocket socket) throws Exception {
        sockets.add(socket);
        calls.add("opened");
    }

    @Override
    public void text(WebSocket socket, String text) throws Exception {
        calls.add("text " + text);
    }

    @Override
    public void binary(WebSocket socket, byte[] bytes) throws Exception {
        calls.add("binary " + bytes.length);
    }

    @Override
    public void closed(WebSocket socket, WebSocketClose close) throws Exception {
        calls.add("closed " + close.code());
    }
}
