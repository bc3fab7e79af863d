package io.fibry.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;

/** Sends events as the content of an answer. */
final class HttpEventStream implements HttpEvents {
    /** Keeps events apart. */
    private final ReentrantLock lock = new ReentrantLock();
    private final OutputStream out;

    HttpEventStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void send(HttpEvent event) throws IOException {
        write(event.encoded());
    }

    @Override
    public void ping() throws IOException {
        write(":\n\n");
    }

    private void write(String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            out.write(bytes);
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "HttpEvents";
    }
}
