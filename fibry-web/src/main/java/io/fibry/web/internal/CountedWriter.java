package io.fibry.web.internal;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.util.concurrent.atomic.AtomicLong;

/** Writes to a client and counts the bytes. */
final class CountedWriter implements DataWriter {
    private final DataWriter out;
    private final AtomicLong sent = new AtomicLong();

    CountedWriter(DataWriter out) {
        this.out = out;
    }

    /** How many bytes have been given to the connection. */
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
        sent.addAndGet(buffer.available());
        out.write(buffer);
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
        sent.addAndGet(buffer.available());
        out.writeNow(buffer);
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
