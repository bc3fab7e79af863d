package io.fibry.web.internal;

import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reads the frames of a client of HTTP/2 before Helidon reads them, and ends the connection of a client that causes
 * work and requests nothing: by empty frames, settings, pings, priorities, window updates and resets without end.
 *
 * <p>Such frames are paid from a budget. The budget grows with time, with each request, and with the bytes that are sent
 * to the client, for which the client has to give room. So an honest client never exhausts it, however much it loads.
 *
 * <p>The content of requests goes to {@link Http2Streams}, and not to Helidon; so do their ends. Headers are collected and written anew;
 * see {@link HeaderBlock}. A request whose headers are not well formed goes on with others in their place, and is refused with a status
 * when Helidon passes it on; see {@link Http2Head}. Priorities have no effect. Other frames go to Helidon, which refuses wrong ones.
 */
final class Http2Frames implements Supplier<byte[]> {
    static final int BURST = 1_000;
    private static final int PREFACE = 24;
    static final int HEADER = 9;
    private static final long BUDGET_PER_SECOND = 100;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NANOS_PER_FRAME = NANOS_PER_SECOND / BUDGET_PER_SECOND;
    private static final int SENT_PER_FRAME = 1_024;
    /** What a request adds to the budget: it comes with a priority and a window update or two. */
    private static final int OF_REQUEST = 4;
    /** What a reset costs: more than a request adds, so that a client that resets each request exhausts its budget. */
    private static final int RESET = OF_REQUEST + 2;
    private static final int SETTINGS_COST = 5;
    /** What a frame costs that has no purpose at all. */
    private static final int EMPTY = 20;
    private static final int PRIORITY_COST = 2;
    private static final int SMALL_PADDED = 256;
    /** The length of the longest frame. It is the default of the standard, and this server does not change it. */
    private static final int LONGEST_FRAME = 16_384;

    static final int ACK = 0x1;
    private static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY_FLAG = 0x20;
    private static final int PRIORITY_BYTES = 5;

    private static final int DATA = 0;
    static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    private static final int ONE_SETTING = 6;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final long UNCHANGED = -1;

    private final Supplier<byte[]> source;
    private final LongSupplier clock;
    private final LongSupplier sent;
    private final Http2Streams streams;
    private byte[] first;
    /** How many bytes of the preface, of a frame's header, or of its content are missing. */
    private int missing = PREFACE;
    /** Whether the missing bytes are passed on at once. */
    private boolean isPassedOn = true;
    /** The bytes that have come of a frame. */
    private final ByteArrayOutputStream frame = new ByteArrayOutputStream();
    private int highestStream;
    /** Whether the client begins no more requests. Written by the thread that reads. */
    volatile boolean clientLeaves;
    private long budget = BURST;
    private long paidUntil;
    private long paidSent;
    private final HeaderBlock blocks;
    private final int mostHeaderBytes;
    /** The part of a header block that has come, without padding. */
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();
    /** The stream of a block that has begun; 0 if none has. */
    private int blockStream;
    private int blockFlags;
    /** Whether the block begins a request; otherwise it has trailers. */
    private boolean blockIsHead;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /** The initial room of answers that begins with each acknowledgement that Helidon will write. */
    private final Queue<Long> acknowledgements = new ArrayDeque<>();

    /** Makes a reader of the preface, which may have come in part, and of frames; {@code sent} counts bytes to the client. */
    Http2Frames(byte[] first, Supplier<byte[]> source, LongSupplier clock, LongSupplier sent,
            Http2Streams streams, int mostHeaderBytes) {
        this.mostHeaderBytes = mostHeaderBytes;
        blocks = new HeaderBlock(mostHeaderBytes);
        this.first = first;
        this.source = source;
        this.clock = clock;
        this.sent = sent;
        this.streams = streams;
        paidUntil = clock.getAsLong();
        paidSent = sent.getAsLong();
    }

    /** Begins with a request and settings that came in HTTP/1.1. */
    void upgraded(byte[] settings) {
        highestStream = 1;
        streams.begin(highestStream, 0, null, true);
        acknowledgements.add(announced(settings, 0));
        acknowledged();
    }

    /** Returns the next bytes, in the form that the reader of Helidon expects; null at the end. */
    @Override
    @SuppressWarnings("NullAway") // null is the end for the reader of Helidon
    public byte[] get() {
        while (out.size() == 0) {
            var bytes = first.length > 0 ? first : source.get();
            if (bytes == null) {
                return null;
            }
            first = new byte[0];
            look(bytes);
        }
        var seen = out.toByteArray();
        out.reset();
        return seen;
    }

    /** Called by the reader when Helidon has acknowledged settings: until then a client may rely on the room that it had. */
    void acknowledged() {
        var room = acknowledgements.poll();
        if (room != null && room != UNCHANGED) {
            streams.initialRoom(room);
        }
    }

    private void look(byte[] bytes) {
        for (var at = 0; at < bytes.length;) {
            var count = Math.min(missing, bytes.length - at);
            (isPassedOn ? out : frame).write(bytes, at, count);
            at += count;
            missing -= count;
            if (missing == 0 && frame.size() == HEADER) {
                missing = number(frame.toByteArray(), 0, 3);
                if (missing > LONGEST_FRAME) {
                    throw new Http2Exception(Http2ErrorCode.FRAME_SIZE, "a frame is too long");
                }
            }
            if (missing == 0) {
                if (!isPassedOn) {
                    var all = frame.toByteArray();
                    take(all, all.length - HEADER, all[3], all[4], number(all, 5, 4) & Integer.MAX_VALUE);
                }
                frame.reset();
                isPassedOn = false;
                missing = HEADER;
            }
        }
    }

    /** Takes a frame. Those of a wrong length are for Helidon. */
    private void take(byte[] all, int length, int type, int flags, int stream) {
        check(blockStream == 0 || (type == CONTINUATION && stream == blockStream),
                "headers are not complete");
        switch (type) {
            case DATA -> {
                if ((flags & END_STREAM) == 0
                        && (length == 0 || ((flags & PADDED) != 0 && length <= SMALL_PADDED))) {
                    pay(EMPTY, "empty data");
                }
                check(stream % 2 == 1 && stream <= highestStream, "data of no stream");
                streams.data(stream, withoutPadding(all, flags), length, (flags & END_STREAM) != 0);
            }
            case HEADERS -> {
                check(stream % 2 == 1, "clients begin streams of odd numbers");
                blockStream = stream;
                blockFlags = flags;
                blockIsHead = stream > highestStream;
                block.reset();
                if (blockIsHead) {
                    highestStream = stream;
                    budget = Math.min(BURST, budget + OF_REQUEST);
                } else {
                    pay(1, "trailers");
                }
                addToBlock(withoutPadding(all, flags), flags);
            }
            case CONTINUATION -> {
                check(blockStream != 0, "there are no headers to continue");
                pay(1, "continuations");
                if (block.size() + length > mostHeaderBytes) {
                    throw new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, "the headers are too long");
                }
                addToBlock(withoutPadding(all, 0), flags);
            }
            case RST_STREAM, WINDOW_UPDATE -> {
                pay(type == RST_STREAM ? RESET : 1, "resets or window updates");
                var isReset = type == RST_STREAM && length == Integer.BYTES;
                check(stream <= highestStream && (stream % 2 == 1 || (stream == 0 && !isReset)),
                        "no such stream");
                if (isReset) {
                    streams.reset(stream);
                } else if (length != Integer.BYTES
                        || streams.moreRoom(stream, number(all, HEADER, Integer.BYTES) & Integer.MAX_VALUE)) {
                    out.writeBytes(all);
                }
            }
            case SETTINGS -> {
                pay(SETTINGS_COST, "settings");
                if ((flags & ACK) == 0) {
                    acknowledgements.add(announced(all, HEADER));
                }
                out.writeBytes(all);
            }
            case PRIORITY -> { // without effect; Helidon would remember idle streams
                pay(PRIORITY_COST, "priorities");
                if (length != PRIORITY_BYTES || stream == 0
                        || (number(all, HEADER, Integer.BYTES) & Integer.MAX_VALUE) == stream) {
                    out.writeBytes(all);
                }
            }
            default -> {
                pay(1, "frames that ask for nothing");
                var isLeave = type == GOAWAY && length >= Long.BYTES
                        && number(all, HEADER + Integer.BYTES, Integer.BYTES) == 0;
                clientLeaves |= isLeave;
                if (!isLeave || streams.all().isEmpty()) { // otherwise it waits for its answers
                    out.writeBytes(all);
                }
            }
        }
    }

    private static void check(boolean isRight, String why) {
        if (!isRight) {
            throw new Http2Exception(Http2ErrorCode.PROTOCOL, why);
        }
    }

    /** Returns what a frame has after its header. */
    private static byte[] withoutPadding(byte[] all, int flags) {
        if ((flags & PADDED) == 0) {
            return Arrays.copyOfRange(all, HEADER, all.length);
        }
        if (all.length == HEADER) {
            throw new Http2Exception(Http2ErrorCode.FRAME_SIZE, "the length of the padding is missing");
        }
        var to = all.length - (all[HEADER] & 0xFF);
        check(to > HEADER, "padding is longer than its frame");
        return Arrays.copyOfRange(all, HEADER + 1, to);
    }

    private void addToBlock(byte[] headers, int flags) {
        block.writeBytes(headers);
        if ((flags & END_HEADERS) == 0) {
            pay(headers.length == 0 ? EMPTY : 0, "empty headers");
            return;
        }
        var stream = blockStream;
        blockStream = 0;
        var all = block.toByteArray();
        var start = Math.min(all.length, (blockFlags & PRIORITY_FLAG) != 0 ? PRIORITY_BYTES : 0);
        var fields = blocks.fields(Arrays.copyOfRange(all, start, all.length));
        var isWhole = (blockFlags & END_STREAM) != 0;
        if (!blockIsHead) {
            check(isWhole && fields.stream().noneMatch(f -> f.name().startsWith(":")), "a second head");
            streams.trailers(stream, Http2Head.flawOfTrailers(fields).orElse(null));
            return;
        }
        var flaw = Http2Head.flaw(fields, isWhole);
        if (streams.begin(stream, flaw.isPresent() ? UNCHANGED : Http2Head.length(fields), flaw.orElse(null),
                isWhole)) {
            var head = new ByteArrayOutputStream();
            head.write(all, 0, start);
            head.writeBytes(HeaderBlock.plain(flaw.isPresent() ? Http2Head.refused(fields) : fields));
            writeHead(stream, head.toByteArray());
        }
    }

    /** Writes a head in as many frames as it needs, as one of a request without content. */
    private void writeHead(int stream, byte[] head) {
        var from = 0;
        do {
            var length = Math.min(LONGEST_FRAME, head.length - from);
            var flags = (from == 0 ? (blockFlags & PRIORITY_FLAG) | END_STREAM : 0)
                    | (from + length == head.length ? END_HEADERS : 0);
            out.writeBytes(CountedWriter.frame(from == 0 ? HEADERS : CONTINUATION, flags, stream,
                    Arrays.copyOfRange(head, from, from + length)));
            from += length;
        } while (from < head.length);
    }

    /** Returns how much of each answer settings let be sent at first. */
    private long announced(byte[] settings, int from) {
        var room = UNCHANGED;
        for (var at = from; at + ONE_SETTING <= settings.length; at += ONE_SETTING) {
            if (number(settings, at, 2) == INITIAL_WINDOW_SIZE) {
                var initial = number(settings, at + 2, Integer.BYTES) & 0xFFFF_FFFFL;
                if (initial > Integer.MAX_VALUE || streams.all().stream()
                        .anyMatch(request -> initial + request.granted > Integer.MAX_VALUE)) {
                    throw new Http2Exception(Http2ErrorCode.FLOW_CONTROL, "a window is too large");
                }
                room = initial;
            }
        }
        return room;
    }

    private static int number(byte[] bytes, int from, int length) {
        var number = 0;
        for (var i = from; i < from + length; i++) {
            number = number << 8 | (bytes[i] & 0xFF);
        }
        return number;
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

    /** Adds to the budget what has been earned since the last call. Called only when the budget is used up. */
    private void earn() {
        var forTime = Math.max(0, (clock.getAsLong() - paidUntil) / NANOS_PER_FRAME);
        paidUntil += forTime * NANOS_PER_FRAME;
        var forSent = Math.max(0, (sent.getAsLong() - paidSent) / SENT_PER_FRAME);
        paidSent += forSent * SENT_PER_FRAME;
        budget = Math.min(BURST, budget + forTime + forSent);
    }
}
