package io.fibry.web.internal;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes to a client, and counts the bytes. Helidon gives it one frame of HTTP/2 at a time. The lock keeps apart the frames
 * of Helidon and those that this package adds; none is added between the frames of one header block.
 */
final class CountedWriter implements DataWriter {
    private final DataWriter out;
    private final byte[] settings;
    private final LiteralHeaders literals;
    private final Runnable onAcknowledgement;
    private final AtomicLong sent = new AtomicLong();
    /** Used by the sweep. */
    private long sentBefore;
    /** The last request, for GOAWAY: Helidon would say there was none. Written by the thread that reads frames. */
    volatile int lastStream;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether a header block has begun and not ended. Guarded by the lock. */
    private boolean inHeaders;
    /** Frames that wait for the end of the header block. Guarded by the lock. */
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

    /** Makes a writer with what the client gets in place of Helidon's settings, and the headers that Helidon leaves out. */
    CountedWriter(DataWriter out, byte[] settings, LiteralHeaders literals, Runnable onAcknowledgement) {
        this.out = out;
        this.settings = settings;
        this.literals = literals;
        this.onAcknowledgement = onAcknowledgement;
    }

    /** Returns how many bytes have been given to the connection. */
    long sent() {
        return sent.get();
    }

    /** Returns whether something is being written, and no other write has begun since the last call. The sweep calls this. */
    boolean standsStill() {
        var before = sentBefore;
        sentBefore = sent.get();
        return lock.isLocked() && sentBefore == before;
    }

    @Override
    public void write(BufferData... buffers) {
        writeNow(BufferData.create(buffers));
    }

    @Override
    public void write(BufferData buffer) {
        writeNow(buffer);
    }

    @Override
    public void writeNow(BufferData... buffers) {
        writeNow(BufferData.create(buffers));
    }

    @Override
    public void writeNow(BufferData buffer) {
        var isFrame = buffer.available() >= Http2Frames.HEADER; // also what comes before the first frame
        var type = isFrame ? buffer.get(3) : -1;
        var flags = isFrame ? buffer.get(4) : 0;
        var acknowledges = type == Http2Frames.SETTINGS && (flags & Http2Frames.ACK) != 0;
        lock.lock();
        try {
            if (type == Http2Frames.HEADERS || type == Http2Frames.CONTINUATION) {
                inHeaders = (flags & Http2Frames.END_HEADERS) == 0;
            }
            send(switch (type) {
                case Http2Frames.SETTINGS ->
                    acknowledges ? buffer : BufferData.create(frame(type, 0, 0, settings));
                case Http2Frames.GOAWAY -> BufferData.create(
                        ByteBuffer.wrap(buffer.readBytes()).putInt(Http2Frames.HEADER, lastStream).array());
                default -> literals.added(buffer);
            });
            sendWaiting();
        } finally {
            lock.unlock();
        }
        if (acknowledges) {
            onAcknowledgement.run();
        }
    }

    private void sendWaiting() {
        if (!inHeaders && waiting.size() > 0) {
            var added = BufferData.create(waiting.toByteArray());
            waiting.reset();
            send(added);
        }
    }

    private void send(BufferData frame) {
        sent.addAndGet(frame.available());
        out.writeNow(frame);
    }

    /** Writes frames of this package. */
    void add(byte[] frames) {
        lock.lock();
        try {
            waiting.writeBytes(frames);
            sendWaiting();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a frame, of at most 65,535 bytes. */
    static byte[] frame(int type, int flags, int stream, byte[] content) {
        return ByteBuffer.allocate(Http2Frames.HEADER + content.length).put((byte) 0)
                .putShort((short) content.length)
                .put((byte) type).put((byte) flags).putInt(stream).put(content).array();
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
