package io.fibry.web.internal;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes to a client, counts the bytes, and leaves out the acknowledgements of settings that are not for the client. Helidon
 * gives it one frame of HTTP/2 at a time. The lock keeps apart the frames of Helidon and those that this package adds; none
 * is added between the frames of one header block.
 */
final class CountedWriter implements DataWriter {
    private static final int HEADER = 9;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;

    private final DataWriter out;

    private final AtomicLong sent = new AtomicLong();
    /** Set once, by the worker, before the connection uses HTTP/2. */
    private volatile @Nullable Http2Frames frames;
    /** Set once, by the worker, with {@link #frames}. */
    private volatile @Nullable LiteralHeaders literals;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether a header block has begun and not ended. Guarded by the lock. */
    private boolean inHeaders;
    /** Frames that wait for the end of the header block. Guarded by the lock. */
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

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
        writeFrame(buffer, out::write);
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
        writeFrame(buffer, out::writeNow);
    }

    private void writeFrame(BufferData buffer, Consumer<BufferData> to) {
        lock.lock();
        try {
            if (frames != null && buffer.available() >= HEADER
                    && (buffer.get(3) == HEADERS || buffer.get(3) == CONTINUATION)) {
                inHeaders = (buffer.get(4) & END_HEADERS) == 0;
            }
            if (isForClient(buffer)) {
                send(whole(buffer), to);
            }
            sendWaiting();
        } finally {
            lock.unlock();
        }
    }

    private void sendWaiting() {
        if (!inHeaders && waiting.size() > 0) {
            var added = BufferData.create(waiting.toByteArray());
            waiting.reset();
            send(added, out::writeNow);
        }
    }

    private void send(BufferData frame, Consumer<BufferData> to) {
        sent.addAndGet(frame.available());
        to.accept(frame);
    }

    /** Makes room in a window of the client; stream 0 is the connection. */
    void grant(int stream, int bytes) {
        lock.lock();
        try {
            waiting.writeBytes(
                    ByteBuffer.allocate(HEADER + Integer.BYTES).putShort((short) 0).put((byte) Integer.BYTES)
                            .put((byte) WINDOW_UPDATE).put((byte) 0).putInt(stream).putInt(bytes).array());
            sendWaiting();
        } finally {
            lock.unlock();
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
