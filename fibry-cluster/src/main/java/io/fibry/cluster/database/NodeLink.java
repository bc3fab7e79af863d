package io.fibry.cluster.database;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection on which this node sends to another one. The thread that sends writes itself. What comes while it writes is
 * queued, and it writes that as well, in one go: {@code isWriting} is set and cleared under the lock together with a look at
 * the queue, so no frame is left behind. A frame that could not be written is lost, and the streams above repeat it.
 */
final class NodeLink {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeLink.class);
    private static final int MOST_QUEUED = 16 << 20;
    private static final int CONNECT_MILLIS = 1_000;
    private static final int CHUNK = 16 << 10;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    private final UUID self;
    private final UUID peer;
    private final NodeAddress address;
    private final Optional<NodeTls> tls;
    private final Consumer<IOException> onFailure;
    /** Guards the queue and the two flags. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final List<ByteBuffer> queue = new ArrayList<>();
    private long queued;
    private boolean isWriting;
    /** Written under the lock. The thread that writes reads it once connected: it or {@link #close} closes the connection. */
    private volatile boolean isClosed;
    /** Written by the thread that writes. */
    private volatile @Nullable SocketChannel channel;
    // Used by the thread that writes.
    /** Encrypts what goes to the channel; null if nothing is encrypted. */
    private @Nullable OutputStream encrypted;
    private boolean pauses;
    private long pauseEnd;

    NodeLink(UUID self, UUID peer, NodeAddress address, Optional<NodeTls> tls,
            Consumer<IOException> onFailure) {
        this.self = self;
        this.peer = peer;
        this.address = address;
        this.tls = tls;
        this.onFailure = onFailure;
    }

    /** Sends a frame, or leaves it to the thread that writes. Waits while much is queued. Returns false if the link is closed. */
    boolean send(byte kind, ByteBuffer body) throws InterruptedException {
        lock.lock();
        try {
            while (queued > MOST_QUEUED && isWriting && !isClosed) {
                room.await();
            }
            if (isClosed) {
                return false;
            }
            add(kind, body);
            if (isWriting) {
                return true;
            }
            isWriting = true;
        } finally {
            lock.unlock();
        }
        writeAll();
        return true;
    }

    /** Sends a frame without a wait: another thread writes it if none does. It is left out if much is queued. */
    void offer(byte kind, ByteBuffer body, Executor writers) {
        lock.lock();
        try {
            if (isClosed || queued > MOST_QUEUED) {
                return;
            }
            if (!isWriting) {
                writers.execute(this::writeAll); // throws if there is no thread: then nobody writes. The task begins with this lock
                isWriting = true;
            }
            add(kind, body);
        } finally {
            lock.unlock();
        }
    }

    private void add(byte kind, ByteBuffer body) {
        queue.add(ByteBuffer.allocate(Integer.BYTES + 1).putInt(body.remaining() + 1).put(kind).flip());
        queue.add(body.duplicate());
        queued += body.remaining();
    }

    private void writeAll() {
        Throwable failure = null;
        while (true) {
            ByteBuffer[] frames;
            lock.lock();
            try {
                if (queue.isEmpty()) {
                    isWriting = false;
                    break;
                }
                frames = queue.toArray(ByteBuffer[]::new);
                queue.clear();
                queued = 0;
                room.signalAll();
            } finally {
                lock.unlock();
            }
            try {
                write(frames);
            } catch (RuntimeException | Error failed) { // a thread that ended here would be waited for by all others that send
                failure = failed;
                disconnect();
            }
        }
        if (failure != null) { // told when nobody waits for this thread: there may be no memory for that either
            LOGGER.error("Frames to {} are lost", address, failure);
        }
    }

    private void write(ByteBuffer[] frames) {
        if (pauses && System.nanoTime() - pauseEnd < 0) {
            return;
        }
        try {
            var open = channel;
            if (open == null) {
                open = connect();
            }
            long left = 0;
            for (var each : frames) {
                left += each.remaining();
            }
            var out = encrypted;
            if (out == null) {
                while (left > 0) {
                    left -= open.write(frames);
                }
            } else {
                write(frames, left, out);
            }
        } catch (IOException lost) {
            disconnect();
            pauses = true;
            pauseEnd = System.nanoTime() + PAUSE;
            if (!isClosed) {
                onFailure.accept(lost);
            }
        }
    }

    /** Writes frames in chunks, so that small ones are not each a record of TLS. */
    private static void write(ByteBuffer[] frames, long length, OutputStream out) throws IOException {
        var chunk = ByteBuffer.allocate((int) Math.min(CHUNK, length));
        for (var each : frames) {
            while (each.hasRemaining()) {
                var part = Math.min(each.remaining(), chunk.remaining());
                chunk.put(each.slice(each.position(), part));
                each.position(each.position() + part);
                if (!chunk.hasRemaining()) {
                    out.write(chunk.array());
                    chunk.clear();
                }
            }
        }
        out.write(chunk.array(), 0, chunk.position());
    }

    private SocketChannel connect() throws IOException {
        var fresh = SocketChannel.open();
        channel = fresh;
        if (isClosed) {
            disconnect();
            throw new IOException("the link is closed");
        }
        fresh.socket().connect(address.socketAddress(), CONNECT_MILLIS);
        requireOther(fresh);
        fresh.setOption(StandardSocketOptions.TCP_NODELAY, true);
        var hello = Greeting.of(Greeting.TALK, self, peer);
        if (tls.isPresent()) {
            fresh.socket().setSoTimeout(CONNECT_MILLIS);
            var out = tls.orElseThrow().connect(fresh.socket(), address).getOutputStream();
            write(new ByteBuffer[]{hello}, hello.remaining(), out);
            encrypted = out;
        } else {
            while (hello.hasRemaining()) {
                fresh.write(hello);
            }
        }
        pauses = false;
        return fresh;
    }

    /** Where nobody listens on a port of the range for outgoing connections, a connection may be one with itself. */
    static void requireOther(SocketChannel channel) throws IOException {
        if (channel.getLocalAddress().equals(channel.getRemoteAddress())) {
            throw new ConnectException("Connection refused: nobody listens there");
        }
    }

    private void disconnect() {
        var open = channel;
        channel = null;
        encrypted = null;
        if (open != null) {
            Mesh.close(open);
        }
    }

    /** Ends the link, also for threads that write to it or wait for room. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            queue.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        var open = channel;
        if (open != null) {
            Mesh.close(open);
        }
    }
}
