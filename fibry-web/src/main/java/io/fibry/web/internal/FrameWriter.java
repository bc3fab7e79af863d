package io.fibry.web.internal;

import io.fibry.web.WebSocketClose;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Writes frames to a client, each as a whole. Several threads use it: the actor of the socket, the reader, which
 * answers pings, and the threads that close the socket. A lock keeps the frames apart and guards {@code closed}.
 */
final class FrameWriter {
    private static final int LAST = 0x80;
    private static final int COMPRESSED = 0x40;
    private static final int LENGTH_IN_2_BYTES = 126;
    private static final int LENGTH_IN_8_BYTES = 127;
    private static final int PIECE = 64 * 1024;

    private final OutputStream out;
    private final LongSupplier clock;
    /** Keeps frames apart, and guards {@link #closed}. */
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;
    /** When the write of the current piece began; zero if there is none. Written under the lock, read by the sweep. */
    private volatile long writingSince;

    FrameWriter(OutputStream out, LongSupplier clock) {
        this.out = out;
        this.clock = clock;
    }

    /** Tells whether the client has not received the current piece since the given time. */
    boolean isStuckSince(long nanos) {
        var since = writingSince;
        return since != 0 && since - nanos < 0;
    }

    /** Writes a frame, unless the close frame has been written. */
    void write(int opcode, byte[] payload) throws IOException {
        write(opcode, false, payload);
    }

    /** Writes a frame, unless the close frame has been written. */
    void write(int opcode, boolean isCompressed, byte[] payload) throws IOException {
        lock.lock();
        try {
            if (!closed) {
                write(head(isCompressed ? opcode | COMPRESSED : opcode, payload.length), payload);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes the close frame, once. */
    void close(WebSocketClose close) throws IOException {
        var code = close.isSendable() ? close.code() : WebSocketClose.NORMAL;
        var reason = close.reason().getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                var payload = close.code() == WebSocketClose.NONE
                        ? new byte[0]
                        : ByteBuffer.allocate(Short.BYTES + reason.length).putShort((short) code).put(reason)
                                .array();
                write(head(Frame.CLOSE, payload.length), payload);
            }
        } finally {
            lock.unlock();
        }
    }

    private static ByteBuffer head(int opcode, int length) {
        var head = ByteBuffer.allocate(Short.BYTES + Long.BYTES).put((byte) (LAST | opcode));
        if (length < LENGTH_IN_2_BYTES) {
            head.put((byte) length);
        } else if (length < 1 << Short.SIZE) {
            head.put((byte) LENGTH_IN_2_BYTES).putShort((short) length);
        } else {
            head.put((byte) LENGTH_IN_8_BYTES).putLong(length);
        }
        return head.flip();
    }

    /** Writes in pieces, so that a client that reads slowly but steadily gets everything. */
    private void write(ByteBuffer head, byte[] payload) throws IOException {
        var first = Math.min(payload.length, PIECE);
        var start = new byte[head.remaining() + first]; // one write, since the client's system may otherwise wait for more
        var headLength = head.remaining();
        head.get(start, 0, headLength);
        System.arraycopy(payload, 0, start, headLength, first);
        try {
            piece(start, 0, start.length);
            for (var at = first; at < payload.length; at += PIECE) {
                piece(payload, at, Math.min(PIECE, payload.length - at));
            }
        } finally {
            writingSince = 0;
        }
    }

    private void piece(byte[] bytes, int from, int length) throws IOException {
        writingSince = clock.getAsLong() | 1; // not zero
        out.write(bytes, from, length);
    }
}
