package io.fibry.web.internal;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes to a client, counts the bytes, and leaves out the acknowledgements of settings that are not for the client. */
final class CountedWriter implements DataWriter {
    private final DataWriter out;
    private static final int HEADER = 9;
    private static final int SETTINGS = 4;
    private static final int ACK = 1;

    private final AtomicLong sent = new AtomicLong();
    private volatile @Nullable Http2Frames frames;
    private volatile @Nullable LiteralHeaders literals;

    CountedWriter(DataWriter out) {
        this.out = out;
    }

    /**
     * Makes this writer write frames of HTTP/2 from now on, to the client that sends the given ones, with the headers
     * that Helidon leaves out.
     */
    void answers(Http2Frames sentByClient, LiteralHeaders headers) {
        frames = sentByClient;
        literals = headers;
    }

    private BufferData whole(BufferData frame) {
        var known = literals;
        return known == null ? frame : known.added(frame);
    }

    private boolean isForClient(BufferData buffer) {
        var known = frames;
        return known == null || buffer.available() != HEADER || buffer.get(3) != SETTINGS
                || buffer.get(4) != ACK
                || known.acknowledges();
    }

    /** Returns how many bytes have been given to the connection. */
    long sent() {
        return sent.get();
    }

    @Override
    public void write(BufferData... buffers) {
        for (var buffer : buffers) {
            sent.addAndGet(buffer.available());
        }
        out.write(buffers);
    }

    @Override
    public void write(BufferData buffer) {
        if (isForClient(buffer)) {
            var frame = whole(buffer);
            sent.addAndGet(frame.available());
            out.write(frame);
        }
    }

    @Override
    public void writeNow(BufferData... buffers) {
        for (var buffer : buffers) {
            sent.addAndGet(buffer.available());
        }
        out.writeNow(buffers);
    }

    @Override
    public void writeNow(BufferData buffer) {
        if (isForClient(buffer)) {
            var frame = whole(buffer);
            sent.addAndGet(frame.available());
            out.writeNow(frame);
        }
    }

    @Override
    public void flush() {
        out.flush();
    }

    @Override
    public void close() {
        out.close();
    }
}
