package io.fibry.internal.net;

import io.fibry.internal.memory.FieldAccess;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The content of a request, up to a limit. It records since when its reader waits, and whether the content broke off. */
public final class HttpContent extends BlockInput {
    private static final VarHandle WAITING_SINCE =
            FieldAccess.of(MethodHandles.lookup(), "waitingSince", int.class);

    private final InputStream in;
    private final HttpService service;
    private final long limit;
    private long left;
    private boolean touched;
    private boolean ended;
    /** The tick of the first read. */
    private int begunAt;
    /** The tick at which the reader began to wait, or zero. Written by the reader, opaque; a sweep reads it. */
    private int waitingSince;
    /** Set by the thread that reads the content; read by the one that reports a failed request. */
    private volatile boolean broken;
    /** Written before {@link #broken}. */
    private @Nullable HttpProblem flaw;

    /** Thrown if there is more content than allowed. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(long limit) {
            super("the content of the request is longer than " + limit + " bytes");
        }
    }

    /** Thrown if content takes too long in all, however steadily it comes. */
    static final class TooSlow extends IOException {
        private static final long serialVersionUID = 1L;

        TooSlow() {
            super("the content of the request has taken longer than it may");
        }
    }

    /** Makes the content of a request. */
    public HttpContent(InputStream in, HttpService service) {
        this.in = in;
        this.service = service;
        limit = service.options().bodyBytes();
        left = limit;
    }

    /** Returns whether the client, and not the server, has caused a failure. */
    boolean isBroken() {
        return broken;
    }

    /** Returns the answer to content that is not well formed. */
    HttpProblem flaw() {
        return flaw != null ? flaw : new HttpProblem(400, "the content broke off, or is not well formed");
    }

    boolean isTouched() {
        return touched;
    }

    /** Returns whether a reader waits and nothing has come for too long. */
    boolean isLate(int now) {
        return service.isLateReader((int) WAITING_SINCE.getOpaque(this), now);
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        if (broken) {
            throw new IOException("the content broke off");
        }
        touched = true;
        var now = service.tick();
        if (begunAt == 0) {
            begunAt = now;
        }
        int count;
        WAITING_SINCE.setOpaque(this, now);
        try {
            if (service.isOverlong(begunAt)) {
                throw new TooSlow();
            }
            // Reads one byte more than is left, to see whether there is more.
            count = in.read(bytes, offset, length <= left ? length : (int) left + 1);
        } catch (HttpProblem malformed) {
            flaw = malformed;
            broken = true;
            throw malformed;
        } catch (IOException e) {
            broken = true;
            throw e;
        } finally {
            WAITING_SINCE.setOpaque(this, 0);
        }
        if (count > left) {
            throw new TooLong(limit);
        }
        left -= Math.max(0, count);
        ended = count < 0;
        return count;
    }

    /** Reads and discards up to so many bytes, whatever the limit is. Returns whether the end was found. */
    public boolean discard(int most) throws IOException {
        left = Long.MAX_VALUE;
        var bytes = new byte[8_192];
        for (var unread = most; !ended && !broken && unread > 0;) {
            unread -= Math.max(0, read(bytes));
        }
        return ended;
    }
}
