package io.fibry.internal.net;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The content of a request, up to a limit. It records since when its reader waits, and what is wrong
 * with it: the server itself answers that, whatever the handler makes of it.
 */
public final class HttpContent extends BlockInput {
    private static final VarHandle WAITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "waitingSince", int.class);
    private static final int TOO_LONG = 413;

    private final InputStream in;
    private final HttpService service;
    /**
     * Held by a thread while it reads, and from then on by the one that discards the rest: a thread to which the handler has
     * passed the request may still read when it has been answered, and would read what comes after it.
     */
    private final ReentrantLock reading = new ReentrantLock();
    /** How many bytes may still come. */
    private long left;
    private boolean touched;
    private boolean ended;
    private boolean discarding;
    /** The tick of the first read. */
    private int begunAt;
    /** The tick at which the reader began to wait, or zero. Written by the reader, opaque; a sweep reads it. */
    private int waitingSince;
    /** Written by the thread that reads the content; read by the one that reports a failed request. */
    private volatile @Nullable HttpProblem flaw;

    /** Makes the content of a request. */
    public HttpContent(InputStream in, HttpService service) {
        this.in = in;
        this.service = service;
        left = service.options().bodyBytes();
    }

    /** Returns what the client, and not the server, has done wrong; null if all is well so far. */
    @Nullable HttpProblem flaw() {
        return flaw;
    }

    /** Returns whether more can be read: content that is only too long still has an end. */
    boolean isReadable() {
        return flaw == null || flaw.status() == TOO_LONG;
    }

    boolean isTouched() {
        return touched;
    }

    /** Returns whether a reader waits and nothing has come for too long. */
    boolean isLate(int now) {
        return service.isLateReader((int) WAITING_SINCE.getOpaque(this), now);
    }

    /** Returns whether another thread reads, of which nobody knows how far it will read. */
    boolean isReadElsewhere() {
        return reading.isLocked() && !reading.isHeldByCurrentThread();
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        if (!reading.tryLock()) {
            throw new IOException("another thread reads the content, or the request has been answered");
        }
        try {
            return readAlone(bytes, offset, length);
        } finally {
            reading.unlock();
        }
    }

    private int readAlone(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        if (flaw != null && !discarding) {
            throw flaw;
        }
        touched = true;
        var now = service.tick();
        if (begunAt == 0) {
            begunAt = now;
        }
        WAITING_SINCE.setOpaque(this, now);
        try {
            if (service.isOverlong(begunAt)) {
                throw new HttpProblem(408, "the content has taken too long"); // however steadily it comes
            }
            // Reads one byte more than is left, to see whether there is more.
            var count = in.read(bytes, offset, length <= left ? length : (int) left + 1);
            if (count > left) {
                throw new HttpProblem(TOO_LONG, "the content is too long");
            }
            left -= Math.max(0, count);
            ended = count < 0;
            return count;
        } catch (HttpProblem malformed) {
            flaw = malformed;
            throw malformed;
        } catch (IOException e) {
            flaw = new HttpProblem(400, "the content broke off, or is not well formed", e);
            throw e;
        } finally {
            WAITING_SINCE.setOpaque(this, 0);
        }
    }

    /**
     * Reads and discards up to so many bytes, whatever the limit is. Returns whether the end was found. No other thread can
     * read any more.
     */
    public boolean discard(int most) throws IOException {
        if (!reading.tryLock()) {
            return false;
        }
        discarding = true;
        left = Long.MAX_VALUE;
        var bytes = new byte[8_192];
        for (var unread = most; !ended && isReadable() && unread > 0;) {
            unread -= Math.max(0, read(bytes));
        }
        return ended;
    }
}
