package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The content of a request, up to a limit. It records whether the content broke off. */
final class HttpBodyLimit extends BlockInput {
    private final InputStream in;
    private final long limit;
    private long left;
    /** Set by the thread that reads the content; read by the one that reports a failed request. */
    private volatile boolean broken;
    private @Nullable HttpTraffic traffic;
    private @Nullable HttpWork work;
    private int piece;
    /** The tick of the first read. */
    private int begunAt;

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

    HttpBodyLimit(InputStream in, long limit) {
        this.in = in;
        this.limit = limit;
        left = limit;
    }

    /** Lets the sweep check how long a read takes. Called before the first read. */
    void watchedBy(HttpTraffic theTraffic, HttpWork theWork) {
        traffic = theTraffic;
        work = theWork;
        piece = theWork.piece();
    }

    /** Returns whether the client, and not the server, has caused a failure. */
    boolean isBroken() {
        return broken;
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        int count;
        try {
            // Reads one byte more than is left, to see whether there is more.
            count = watched(bytes, offset, length <= left ? length : (int) left + 1);
        } catch (IOException e) {
            broken = true;
            throw e;
        }
        if (count > left) {
            throw new TooLong(limit);
        }
        left -= Math.max(0, count);
        return count;
    }

    private int watched(byte[] bytes, int offset, int length) throws IOException {
        if (traffic == null || work == null) {
            return in.read(bytes, offset, length);
        }
        var now = traffic.tick();
        if (begunAt == 0) {
            begunAt = now;
        }
        if (traffic.isOverlong(begunAt)) {
            throw new TooSlow();
        }
        work.readsSince(now, piece);
        try {
            return in.read(bytes, offset, length);
        } finally {
            work.readsSince(0, piece);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        return count <= 0 ? 0 : Math.max(0, read(new byte[(int) Math.min(count, 8_192)]));
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** Reads and discards content up to a limit, so that a client that is still sending gets to read its answer. */
    static void discard(InputStream in, int most) throws IOException {
        var bytes = new byte[8_192];
        var read = 0;
        for (var count = 0; count >= 0 && read < most; count = in.read(bytes)) {
            read += count;
        }
    }
}
