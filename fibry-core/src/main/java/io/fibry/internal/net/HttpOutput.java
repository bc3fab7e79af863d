package io.fibry.internal.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** The stream of an answer to its client. It records since when it waits for the client to read. */
final class HttpOutput extends OutputStream {
    private static final int PIECE = 64 * 1024;

    private final OutputStream out;
    private final HttpTraffic traffic;
    private final HttpWork work;
    private final int piece;
    /** Set by the thread that writes the answer; read by the one that reports a failed request. */
    private volatile boolean broken;

    /** A step that may have to wait for the client. */
    interface Write {
        void write() throws IOException;
    }

    HttpOutput(OutputStream out, HttpTraffic traffic, HttpWork work) {
        this.out = out;
        this.traffic = traffic;
        this.work = work;
        piece = work.piece();
    }

    void watch(Write write) throws IOException {
        work.writesSince(traffic.tick(), piece);
        try {
            write.write();
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e;
        } finally {
            work.writesSince(0, piece);
        }
    }

    /** Returns whether a write has failed, so that the client has caused a failure. */
    boolean isBroken() {
        return broken;
    }

    /**
     * Sends a whole answer: its head and then its content. If the content is one piece at most, one wait covers
     * both.
     */
    void answer(Write head, byte[] content) throws IOException {
        if (content.length > PIECE) {
            watch(head);
            write(content);
            close();
            return;
        }
        watch(() -> {
            head.write();
            out.write(content);
            out.close();
        });
    }

    @Override
    public void write(int b) throws IOException {
        watch(() -> out.write(b));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        for (var at = 0; at < length; at += PIECE) {
            var from = offset + at;
            var piece = Math.min(PIECE, length - at);
            watch(() -> out.write(bytes, from, piece));
        }
    }

    @Override
    public void flush() throws IOException {
        watch(out::flush);
    }

    @Override
    public void close() throws IOException {
        watch(out::close);
    }
}
