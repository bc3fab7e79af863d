package io.fibry.web.internal;

import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Looks at the frames of a client of HTTP/2 before Helidon reads them, and ends the connection of one that makes work and
 * asks for nothing: frames that are empty, settings, pings, priorities, window updates and resets without end.
 *
 * <p>Such frames are paid for from a budget. It grows with time, with each request, and with what is sent to the client, who
 * has to give room for that; so no honest client runs out of it, however much it has loaded.
 */
final class Http2Frames implements Supplier<byte[]> {
    static final int BURST = 1_000;
    private static final int PREFACE = 24;
    private static final int HEADER = 9;
    private static final long BUDGET_PER_SECOND = 100;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_FRAME = NANOS_PER_SECOND / BUDGET_PER_SECOND;
    private static final int SENT_PER_FRAME = 1_024;
    /** A request comes with a priority, a window update or two. */
    private static final int OF_REQUEST = 4;
    /** Who resets each request is to lose by it. */
    private static final int RESET = OF_REQUEST + 2;
    private static final int SETTINGS_COST = 5;
    /** What has no sense at all. */
    private static final int EMPTY = 20;
    private static final int PRIORITY_COST = 2;
    private static final int SMALL_PADDED = 256;

    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int CONTINUATION = 9;

    private final Supplier<byte[]> source;
    private final LongSupplier clock;
    private final LongSupplier sent;
    private final byte[] header = new byte[HEADER];
    private byte[] first;
    private int filled;
    /** How many bytes come before the next frame's header. */
    private long skip = PREFACE;
    private int highestStream;
    private long budget = BURST;
    private long paidUntil;
    private long paidSent;

    /**
     * Frames that begin with the preface, of which these bytes have been read.
     *
     * @param first what has been read; may be empty
     * @param source reads on; null is the end
     * @param clock nanoseconds
     * @param sent how many bytes have been sent to the client
     */
    Http2Frames(byte[] first, Supplier<byte[]> source, LongSupplier clock, LongSupplier sent) {
        this.first = first;
        this.source = source;
        this.clock = clock;
        this.sent = sent;
        paidUntil = clock.getAsLong();
        paidSent = sent.getAsLong();
    }

    /** The next bytes, as Helidon's reader asks for them; null at the end. */
    @Override
    @SuppressWarnings("NullAway") // that is how the reader of Helidon hears of the end
    public byte[] get() {
        byte[] bytes;
        if (first.length > 0) {
            bytes = first;
            first = new byte[0];
        } else {
            bytes = source.get();
        }
        if (bytes != null) {
            look(bytes);
        }
        return bytes;
    }

    private void look(byte[] bytes) {
        var at = 0;
        while (at < bytes.length) {
            if (skip > 0) {
                var skipped = (int) Math.min(skip, bytes.length - at);
                skip -= skipped;
                at += skipped;
            } else {
                header[filled++] = bytes[at++];
                if (filled == HEADER) {
                    filled = 0;
                    skip = number(0, 3);
                    judge((int) skip, header[3], header[4], number(5, 4) & Integer.MAX_VALUE);
                }
            }
        }
    }

    private int number(int from, int length) {
        var number = 0;
        for (var i = from; i < from + length; i++) {
            number = number << 8 | (header[i] & 0xFF);
        }
        return number;
    }

    private void judge(int length, int type, int flags, int stream) {
        switch (type) {
            case DATA -> {
                if ((flags & END_STREAM) == 0
                        && (length == 0 || ((flags & PADDED) != 0 && length <= SMALL_PADDED))) {
                    pay(EMPTY, "empty data");
                }
            }
            case HEADERS -> {
                if (stream > highestStream) {
                    highestStream = stream;
                    budget = Math.min(BURST, budget + OF_REQUEST);
                } else {
                    pay(1, "trailers");
                }
                if (length == 0 && (flags & END_HEADERS) == 0) {
                    pay(EMPTY, "empty headers");
                }
            }
            case CONTINUATION -> pay(length == 0 && (flags & END_HEADERS) == 0 ? EMPTY : 1, "continuations");
            case PRIORITY -> pay(PRIORITY_COST, "priorities");
            case RST_STREAM -> pay(RESET, "resets");
            case SETTINGS -> pay(SETTINGS_COST, "settings");
            default -> pay(1, "frames that ask for nothing");
        }
    }

    private void pay(int cost, String what) {
        budget -= cost;
        if (budget >= 0) {
            return;
        }
        earn();
        if (budget < 0) {
            throw new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, "too many " + what);
        }
    }

    /** What has been earned since the last time; looked up only when the budget is used up. */
    private void earn() {
        var forTime = Math.max(0, (clock.getAsLong() - paidUntil) / NANOS_PER_FRAME);
        paidUntil += forTime * NANOS_PER_FRAME;
        var forSent = Math.max(0, (sent.getAsLong() - paidSent) / SENT_PER_FRAME);
        paidSent += forSent * SENT_PER_FRAME;
        budget = Math.min(BURST, budget + forTime + forSent);
    }
}
