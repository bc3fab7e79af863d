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
    /** Guarded by the lock. */
    private boolean ended;

    HttpEventStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void send(String name, String id, String data) throws IOException {
        var text = new StringBuilder();
        field(text, "event: ", name);
        field(text, "id: ", id);
        for (var line : data.split("\r\n|\r|\n", -1)) {
            text.append("data: ").append(line).append('\n');
        }
        write(text.append('\n').toString());
    }

    private static void field(StringBuilder text, String field, String value) {
        if (value.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
            throw new IllegalArgumentException(
                    "the name and the id of an event must be one line each: '" + value + "'");
        }
        if (!value.isEmpty()) {
            text.append(field).append(value).append('\n');
        }
    }

    @Override
    public void ping() throws IOException {
        write(":\n\n");
    }

    /** Lets nothing be sent any more: what another thread sends later would be a part of the next answer. */
    void end() {
        lock.lock();
        try {
            ended = true;
        } finally {
            lock.unlock();
        }
    }

    private void write(String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            if (ended) {
                throw new IOException("the answer has ended, since its handler has returned");
            }
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
