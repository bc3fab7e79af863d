package io.fibry.web.internal;

import io.fibry.internal.net.BlockInput;
import io.fibry.internal.net.ServedCall;
import io.fibry.net.HttpProblem;
import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a connection of HTTP/2 that are in progress: their contents, and the windows (RFC 9113, 5.2) of both sides.
 *
 * <p>Helidon 4.3.1 sees no content of requests: for it, each request ends with its head. It would let the thread that reads
 * frames wait when 32 of them have not been read, and take empty frames and interrupts for the end. And it gets content of
 * answers only when there is room for it here, since its threads overrun the window that they share.
 *
 * <p>Frames for the client are collected with the lock, and written without it.
 */
final class Http2Streams {
    /** How many requests may be in progress, whether the client still waits for them or not. */
    static final int MOST = 128;
    /** How much content may come before it is read: that of many requests, so that these do not hinder the others. */
    static final int WINDOW_OF_ALL = 1024 * 1024;
    private static final int WINDOW = 64 * 1024;
    private static final int STANDARD_WINDOW = 65_535;
    /** The status 100, as a literal. */
    private static final byte[] CONTINUE = {8, 3, '1', '0', '0'};

    private final CountedWriter writer;
    /** Written by the thread that reads frames when a request begins, and by the fiber of the request at its end. */
    private final Map<Integer, Request> requests = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** Frames for the client. Guarded by the lock. */
    private final ByteArrayOutputStream untold = new ByteArrayOutputStream(0);
    /** The requests that ended last before their content, which may be on its way. Guarded by the lock. */
    private final Queue<Integer> dropped = new ArrayDeque<>();
    /** Signalled when the connection has room for answers. A thread that does not take all of it signals again. */
    private final Condition roomForAll = lock.newCondition();
    /** How much may be sent in all. Guarded by the lock. */
    private long room = STANDARD_WINDOW;
    /** How much of each answer may be sent at first. Guarded by the lock. */
    private long initialRoom = STANDARD_WINDOW;
    /** How much content may come in all. Guarded by the lock. */
    private int window = WINDOW_OF_ALL;
    /** How much content was taken since the client was last told. Guarded by the lock. */
    private int taken;

    Http2Streams(CountedWriter writer) {
        this.writer = writer;
    }

    /** Returns what the client is told at first (RFC 9113, 6.5.2): no pushes, and limits. Those of Helidon are higher. */
    static byte[] settings(int mostHeaderBytes) {
        return ByteBuffer.allocate(24).putShort((short) 2).putInt(0).putShort((short) 3).putInt(MOST)
                .putShort((short) 4).putInt(WINDOW).putShort((short) 6).putInt(mostHeaderBytes).array();
    }

    Collection<Request> all() {
        return requests.values();
    }

    Request request(int stream) {
        return Optional.ofNullable(requests.get(stream)).orElseThrow();
    }

    /** Takes a step with the lock. The next thread that may wait for the client writes what it collects. */
    private void collect(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    /** Takes a step with the lock, and writes what was collected. Called without the lock. */
    private void locked(Runnable step) {
        var told = new ByteArrayOutputStream();
        collect(() -> {
            step.run();
            told.writeBytes(untold.toByteArray());
            untold.reset();
        });
        if (told.size() > 0) {
            writer.add(told.toByteArray());
        }
    }

    private void tell(int type, int stream, int what) {
        untold.writeBytes(CountedWriter.frame(type, 0, stream, ByteBuffer.allocate(4).putInt(what).array()));
    }

    // ---- What the client sends. The thread that reads frames calls these. ----

    /** Begins a request whose content has the announced length, negative if none is. Returns false if there are too many. */
    boolean begin(int stream, long announced, @Nullable String flaw, boolean isWhole) {
        if (requests.size() < MOST) {
            writer.lastStream = stream;
            requests.put(stream, new Request(stream, announced, flaw, isWhole));
            return true;
        }
        locked(() -> drop(stream, Http2ErrorCode.REFUSED_STREAM));
        return false;
    }

    private void drop(int stream, Http2ErrorCode why) {
        tell(Http2Frames.RST_STREAM, stream, why.code());
        dropped.add(stream);
        if (dropped.size() > MOST) {
            dropped.remove();
        }
    }

    /** Resets a request whose client has made a mistake. Called with the lock. */
    private void fail(int stream, @Nullable Request request, Http2ErrorCode why) {
        drop(stream, why);
        if (request != null) {
            request.isReset = true;
            request.breakOff("its client has made a mistake");
        }
    }

    /** Takes content, which came in a frame of a length. */
    void data(int stream, byte[] content, int length, boolean isLast) {
        locked(() -> {
            window -= length;
            var request = receiving(stream);
            if (window < 0 || (request != null && request.window < length)) {
                throw new Http2Exception(Http2ErrorCode.FLOW_CONTROL, "there is no room for the content");
            }
            if (request == null) {
                took(length);
                return;
            }
            if (request.left >= 0 && content.length > request.left) {
                fail(stream, request, Http2ErrorCode.PROTOCOL);
            }
            request.add(content, length);
            if (isLast) {
                request.ends(null);
            }
        });
    }

    /** Takes the fields after a content. */
    void trailers(int stream, @Nullable String flaw) {
        locked(() -> {
            var request = receiving(stream);
            if (request != null) {
                request.ends(flaw);
            }
        });
    }

    /** Returns a request whose content comes; null if the server does not want it any more. */
    private @Nullable Request receiving(int stream) {
        if (dropped.contains(stream)) {
            return null;
        }
        var request = requests.get(stream);
        if (request == null || request.ended) {
            throw new Http2Exception(Http2ErrorCode.STREAM_CLOSED, "the request has ended already");
        }
        return request;
    }

    /** Ends a request that the client does not wait for any more. */
    void reset(int stream) {
        var request = requests.get(stream);
        if (request != null) {
            request.isReset = true;
            request.breakOff("its client has reset it"); // before its content seems to be whole
            locked(() -> request.ends(null));
        }
    }

    /** Lets more be sent; stream 0 is the connection. Returns whether Helidon has to know. */
    boolean moreRoom(int stream, int bytes) {
        var request = requests.get(stream);
        var answered = request != null && request.answered; // before the answer makes use of the room
        locked(() -> {
            var was = stream == 0 ? room : request == null ? STANDARD_WINDOW : initialRoom + request.granted;
            var isTooMuch = was + bytes > Integer.MAX_VALUE;
            if (bytes == 0 || (isTooMuch && stream == 0)) {
                throw new Http2Exception(bytes == 0 ? Http2ErrorCode.PROTOCOL : Http2ErrorCode.FLOW_CONTROL,
                        "a window cannot be made larger by " + bytes);
            }
            if (isTooMuch) {
                fail(stream, request, Http2ErrorCode.FLOW_CONTROL);
            }
            if (stream == 0) {
                room += bytes;
                roomForAll.signal();
            } else if (request != null) {
                request.granted += bytes;
                request.change.signalAll();
            }
        });
        return stream == 0 || (request != null && !answered && !request.isReset);
    }

    /** Changes how much of each answer may be sent at first. */
    void initialRoom(long bytes) {
        locked(() -> {
            initialRoom = bytes;
            requests.values().forEach(request -> request.change.signalAll());
        });
    }

    /** Ends all requests: their client has gone. */
    void end() {
        requests.values().forEach(request -> request.breakOff("so has its connection"));
    }

    /** Lets as much content come as was taken, once it is worth a frame. Called with the lock. */
    private void took(int bytes) {
        taken += bytes;
        if (taken >= WINDOW_OF_ALL / 2) {
            tell(Http2Frames.WINDOW_UPDATE, 0, taken);
            window += taken;
            taken = 0;
        }
    }

    /** A request, and its content. */
    final class Request extends BlockInput {
        private final int stream;
        final boolean hasContent;
        private final Condition change = lock.newCondition();
        /** Set once, by the fiber of the request. */
        private volatile @Nullable ServedCall call;
        /** Whether the client waits to be asked for content. Set by the request's fiber, then used by the reading thread. */
        private boolean isUnasked;
        /** Why the request is not well formed, as far as it has come. Written by the thread that reads frames. */
        volatile @Nullable String flaw;
        /** Set by the thread that reads frames, and by the fiber of the request at its end. */
        volatile boolean isReset;
        /** Set by the thread that answers, before the head of the answer is sent. */
        volatile boolean hasBegun;
        /** Set by the fiber of the request, before Helidon gets the end of the answer. */
        volatile boolean answered;
        /** Why the client is not waited for. Written under the lock. */
        private volatile @Nullable String broken;
        /** Whether the client sends no more. Guarded by the lock. */
        private boolean ended;
        /** How many of the announced bytes have not come; negative if none were announced. Guarded by the lock. */
        private long left;
        /** The content that has come, apart from the block that is being read. Guarded by the lock. */
        private ByteArrayOutputStream come = new ByteArrayOutputStream(0);
        /** Guarded by the lock. */
        private ByteBuffer block = ByteBuffer.allocate(0);
        /** Whether a thread waits for content. Guarded by the lock. */
        private boolean isRead;
        /** The last tick at which no content could come, since other requests had taken the window. Guarded by the lock. */
        private int hindered;
        /** How much content may come. Guarded by the lock. */
        private int window = WINDOW;
        /** How much was taken since the client was last told. Guarded by the lock. */
        private int taken;
        /** How much more may be sent than at first. Written under the lock; only the reader of frames makes it larger. */
        long granted;

        Request(int stream, long announced, @Nullable String flaw, boolean isWhole) {
            this.stream = stream;
            this.flaw = flaw;
            left = announced;
            hasContent = !isWhole;
            ended = isWhole;
        }

        // With the lock:
        private void add(byte[] content, int length) {
            left -= content.length;
            window -= length;
            if (broken == null) {
                come.writeBytes(content);
                change.signalAll();
                tookSome(length - content.length);
            } else {
                took(length);
            }
        }

        private void ends(@Nullable String flawOfTrailers) {
            flaw = flaw == null ? flawOfTrailers : flaw;
            ended = true;
            change.signalAll();
        }

        private void tookSome(int bytes) {
            took(bytes);
            taken += bytes;
            if (taken >= WINDOW / 2 && !ended) {
                tell(Http2Frames.WINDOW_UPDATE, stream, taken);
                window += taken;
                taken = 0;
            }
        }

        @SuppressWarnings("WaitNotInLoop") // the callers loop
        private void await(Condition condition) throws IOException {
            try {
                condition.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the client was waited for");
            }
            checkOpen();
        }

        // ---- Without the lock. ----

        /** Begins to be handled. The client may wait until it is asked for the content. */
        void begin(ServedCall handled, boolean isToBeAsked) {
            call = handled;
            isUnasked = isToBeAsked;
        }

        /** Throws an exception if nothing can be read or sent any more. */
        void checkOpen() throws IOException {
            if (broken != null) {
                throw new IOException("the stream has ended: " + broken);
            }
        }

        /** Returns how many of these bytes may be sent; 0 if there is no room and this is not to wait for room. */
        int room(int bytes, boolean waits) throws IOException {
            lock.lock();
            try {
                checkOpen();
                while (initialRoom + granted <= 0 || room <= 0) {
                    if (!waits) {
                        return 0;
                    }
                    if (initialRoom + granted <= 0) {
                        roomForAll.signal(); // it may have been for this one, which cannot make use of it
                        await(change);
                    } else {
                        await(roomForAll);
                    }
                }
                var free = (int) Math.min(bytes, Math.min(initialRoom + granted, room));
                granted -= free;
                room -= free;
                return free;
            } finally {
                if (room > 0) {
                    roomForAll.signal();
                }
                lock.unlock();
            }
        }

        /** Gives room back of which no use was made. */
        void unused(int bytes) {
            locked(() -> {
                room += bytes;
                roomForAll.signal();
            });
        }

        /** Ends the request. A client that still sends content is told to stop. */
        void end(boolean isWhole) {
            breakOff("it has been answered");
            locked(() -> {
                requests.remove(stream);
                if (!ended && !isReset) {
                    isReset = true;
                    drop(stream, isWhole ? Http2ErrorCode.NO_ERROR : Http2ErrorCode.STREAM_CLOSED);
                }
            });
        }

        boolean isOn(Thread thread) {
            var handled = call;
            return handled != null && handled.isOn(thread);
        }

        /** Breaks the request off if its client is late; returns with what, or null if it is not. */
        @Nullable String late(int now) {
            var handled = call;
            if (handled == null) {
                return null;
            }
            var why = handled.late(now);
            collect(() -> {
                if (isRead && Http2Streams.this.window <= 0) {
                    hindered = now;
                }
                if (why != null && (!isRead || hindered == 0
                        || handled.connection().service().isLateReader(hindered, now))) {
                    breakOff(why);
                }
            });
            return broken == null ? null : why;
        }

        /** Waits for the client no more, and keeps no content. Writes nothing, since the sweep must not wait. */
        private void breakOff(String why) {
            collect(() -> {
                if (broken == null) {
                    broken = why;
                    took(come.size() + block.remaining());
                    come = new ByteArrayOutputStream(0);
                    block = ByteBuffer.allocate(0);
                    change.signalAll();
                    roomForAll.signalAll();
                }
            });
        }

        @Override
        protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
            if (isUnasked && !hasBegun && !answered) {
                checkOpen();
                Http2Responder.write(() -> writer.add(CountedWriter.frame(Http2Frames.HEADERS,
                        Http2Frames.END_HEADERS, stream, CONTINUE)));
            }
            isUnasked = false;
            int count;
            lock.lock();
            try {
                checkOpen();
                while (!block.hasRemaining() && come.size() == 0 && !ended) {
                    isRead = true;
                    await(change);
                }
                isRead = false;
                if (!block.hasRemaining()) {
                    block = ByteBuffer.wrap(come.toByteArray());
                    come = new ByteArrayOutputStream(0); // a reset would keep its array
                }
                count = Math.min(length, block.remaining());
                block.get(bytes, offset, count);
                if (!block.hasRemaining()) {
                    block = ByteBuffer.allocate(0);
                }
            } finally {
                lock.unlock();
            }
            if (count > 0) {
                Http2Responder.write(() -> locked(() -> tookSome(count)));
            } else if (flaw != null || left > 0) {
                throw new HttpProblem(400, Optional.ofNullable(flaw)
                        .orElse("the content is shorter than its Content-Length"));
            }
            return count == 0 ? -1 : count;
        }
    }
}
