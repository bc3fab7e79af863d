package io.fibry.web.internal;

import io.fibry.web.internal.HeaderTable.Field;
import io.helidon.http.http2.Http2ErrorCode;
import io.helidon.http.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reads the frames of a client of HTTP/2 before Helidon reads them, and ends the connection of a client that causes
 * work and requests nothing: by empty frames, settings, pings, priorities, window updates and resets without end.
 *
 * <p>Such frames are paid from a budget. The budget grows with time, with each request, and with the bytes that are
 * sent to the client, for which the client has to give room. So an honest client never exhausts it, however much it
 * loads.
 *
 * <p>If a client makes its windows larger, the acknowledgement goes to the client before any further data. With Helidon
 * alone either may come first: an answer that waits for room goes on before the acknowledgement is written. Therefore
 * Helidon gets settings without content before such settings. It acknowledges them, and its next acknowledgement is
 * left out. It does no harm to acknowledge a larger window a moment too early, unlike a smaller one.
 *
 * <p>Data is passed on without its padding, of which Helidon 4.3.1 takes a byte for data, and which it counts as content.
 * Headers are collected and written anew; see {@link HeaderBlock}. A request whose headers are not well formed goes on
 * with others in their place, and is refused with a status when Helidon passes it on; see {@link Http2Head}. Everything else
 * that a client must not send goes to Helidon unchanged, which refuses it.
 */
final class Http2Frames implements Supplier<byte[]> {
    static final int BURST = 1_000;
    private static final int PREFACE = 24;
    private static final int HEADER = 9;
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

    /** More than there are streams at a time. */
    private static final int MOST_FLAWS = 256;
    /** More streams than a client can reset before the first one of them is handled. */
    private static final int MOST_RESETS = 256;

    private static final int ACK = 0x1;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITY_FLAG = 0x20;
    private static final int PRIORITY_BYTES = 5;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int CONTINUATION = 9;

    private static final int ONE_SETTING = 6;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int STANDARD_WINDOW = 65_535;
    /** Stands for a second head. Helidon looks whether the stream is open, and then refuses a name in capitals. */
    private static final List<Field> NO_TRAILERS = List.of(new Field("A", ""));
    private static final byte[] NO_SETTINGS = {0, 0, 0, SETTINGS, 0, 0, 0, 0, 0};

    private final Supplier<byte[]> source;
    private final LongSupplier clock;
    private final LongSupplier sent;
    private final IntConsumer onReset;
    private final Room room;
    private final byte[] header = new byte[HEADER];
    private byte[] first;
    private int filled;
    /** How many bytes come before the header of the next frame. */
    private long skip = PREFACE;
    private int highestStream;
    private long budget = BURST;
    private long paidUntil;
    private long paidSent;
    /** The window that the client has announced last, or the greatest number if it is not known. */
    private long window;
    private Held held = Held.NOTHING;
    /** The bytes that have come of what is held, unchanged. */
    private final ByteArrayOutputStream raw = new ByteArrayOutputStream();
    /** The headers in {@code raw}, without padding. */
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();
    private final HeaderBlock blocks;
    private final int mostHeaderBytes;
    private int blockStream;
    private int blockFlags;
    /** Whether the block begins a request; otherwise it has trailers. */
    private boolean blockIsHead;
    private int frameFlags;
    private int frameLength;
    private int frameStream;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /** Why requests that are being answered are not well formed, by stream. */
    private final Map<Integer, String> flaws = new ConcurrentHashMap<>();
    /** The streams that the client has reset last: their requests may not be handled yet. */
    private final Set<Integer> resets = ConcurrentHashMap.newKeySet();
    private final Queue<Integer> resetsInOrder = new ArrayDeque<>();
    /** For each acknowledgement that Helidon will write, whether it goes to the client. */
    private final Queue<Boolean> acknowledgements = new ArrayDeque<>();

    /** What is held back until it is complete. */
    private enum Held {
        NOTHING, HEADERS, SETTINGS, PADDED_DATA
    }

    /** Makes room in the windows of the client again. */
    interface Room {
        void grant(int stream, int bytes);
    }

    /**
     * Makes a reader of the frames of a connection, which begin with the preface.
     *
     * @param first the bytes that have been read already; may be empty
     * @param source reads further bytes; null is the end
     * @param clock returns nanoseconds
     * @param sent returns how many bytes have been sent to the client
     * @param onReset called when the client resets a stream
     * @param room grants the room that padding has taken; stream 0 is the connection
     * @param upgraded whether the client has announced its windows before
     * @param mostHeaderBytes how long the headers of a request may be
     */
    Http2Frames(byte[] first, Supplier<byte[]> source, LongSupplier clock, LongSupplier sent,
            IntConsumer onReset, Room room, boolean upgraded, int mostHeaderBytes) {
        this.mostHeaderBytes = mostHeaderBytes;
        blocks = new HeaderBlock(mostHeaderBytes);
        window = upgraded ? Long.MAX_VALUE : STANDARD_WINDOW;
        this.first = first;
        this.source = source;
        this.clock = clock;
        this.sent = sent;
        this.onReset = onReset;
        this.room = room;
        paidUntil = clock.getAsLong();
        paidSent = sent.getAsLong();
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

    /** Tells whether the acknowledgement that Helidon writes goes to the client. The thread that reads calls it. */
    boolean acknowledges() {
        return !Boolean.FALSE.equals(acknowledgements.poll());
    }

    private void look(byte[] bytes) {
        var at = 0;
        while (at < bytes.length) {
            if (skip > 0) {
                var count = (int) Math.min(skip, bytes.length - at);
                (held == Held.NOTHING ? out : raw).write(bytes, at, count);
                skip -= count;
                at += count;
                if (skip == 0) {
                    ends();
                }
            } else {
                header[filled++] = bytes[at++];
                if (filled == HEADER) {
                    filled = 0;
                    begins(number(0, 3), header[3], header[4], number(5, 4) & Integer.MAX_VALUE);
                }
            }
        }
    }

    private void begins(int length, int type, int flags, int stream) {
        skip = length;
        frameLength = length;
        frameFlags = flags;
        frameStream = stream;
        var isNew = stream > highestStream;
        judge(length, type, flags, stream);
        if (held == Held.HEADERS
                && (type != CONTINUATION || stream != blockStream || length > LONGEST_FRAME)) {
            release();
        } else if (held == Held.HEADERS && block.size() + length > mostHeaderBytes) {
            throw new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM, "the headers are too long");
        } else if (held == Held.NOTHING && type == HEADERS && stream % 2 == 1 && length <= LONGEST_FRAME) {
            held = Held.HEADERS;
            blockStream = stream;
            blockFlags = flags;
            blockIsHead = isNew;
            block.reset();
        } else if (held == Held.NOTHING && type == DATA && (flags & PADDED) != 0 && length <= LONGEST_FRAME) {
            if (length == 0) {
                throw new Http2Exception(Http2ErrorCode.FRAME_SIZE,
                        "padded data has no length of its padding");
            }
            held = Held.PADDED_DATA;
        } else if (held == Held.NOTHING && type == SETTINGS && (flags & ACK) == 0) {
            acknowledgements.add(true);
            if (length == ONE_SETTING) {
                held = Held.SETTINGS;
            } else if (length > 0) {
                window = Long.MAX_VALUE;
            }
        }
        (held == Held.NOTHING ? out : raw).write(header, 0, HEADER);
        if (length == 0) {
            ends();
        }
    }

    /** Passes on what was held back, unchanged. */
    private void release() {
        held = Held.NOTHING;
        out.writeBytes(raw.toByteArray());
        raw.reset();
    }

    /** Called when the frame is complete. */
    private void ends() {
        switch (held) {
            case NOTHING -> {
                // it has been passed on
            }
            case SETTINGS -> {
                if (widens(ByteBuffer.wrap(raw.toByteArray(), HEADER, ONE_SETTING))) {
                    acknowledgements.add(false);
                    out.writeBytes(NO_SETTINGS);
                }
                release();
            }
            case PADDED_DATA -> writeData();
            case HEADERS -> {
                if (!addToBlock(raw.toByteArray())) {
                    release();
                } else if ((frameFlags & END_HEADERS) != 0) {
                    held = Held.NOTHING;
                    raw.reset();
                    writeBlock();
                }
            }
        }
    }

    /** Writes the headers, in as many frames as they need. */
    private void writeBlock() {
        var all = block.toByteArray();
        var start = Math.min(all.length, (blockFlags & PRIORITY_FLAG) != 0 ? PRIORITY_BYTES : 0);
        var plain = new ByteArrayOutputStream();
        plain.write(all, 0, start);
        plain.writeBytes(
                HeaderBlock.plain(checked(blocks.fields(Arrays.copyOfRange(all, start, all.length)))));
        var bytes = plain.toByteArray();
        var from = 0;
        do {
            var length = Math.min(LONGEST_FRAME, bytes.length - from);
            var isLast = from + length == bytes.length;
            var flags = (from == 0 ? blockFlags & ~(PADDED | END_HEADERS) : 0) | (isLast ? END_HEADERS : 0);
            writeHeader(length, from == 0 ? HEADERS : CONTINUATION, flags, blockStream);
            out.write(bytes, from, length);
            from += length;
        } while (from < bytes.length);
    }

    /** Returns the fields of a block, or others in their place if they are not well formed. Helidon then calls for the flaw. */
    private List<Field> checked(List<Field> fields) {
        if (!blockIsHead && fields.stream().anyMatch(field -> field.name().startsWith(":"))) {
            return NO_TRAILERS;
        }
        var flaw = blockIsHead ? Http2Head.flaw(fields, (blockFlags & END_STREAM) != 0)
                : Http2Head.flawOfTrailers(fields);
        if (flaw.isEmpty()) {
            return fields;
        }
        if (flaws.size() == MOST_FLAWS) {
            throw new Http2Exception(Http2ErrorCode.ENHANCE_YOUR_CALM,
                    "too many requests are not well formed");
        }
        flaws.put(blockStream, flaw.get());
        return blockIsHead ? Http2Head.refused(fields) : List.of();
    }

    /** Returns why a request must be refused, or its trailers are not well formed; empty if they are. Any thread may call it. */
    Optional<String> flaw(int stream) {
        return Optional.ofNullable(flaws.get(stream));
    }

    /** Tells whether the client has reset a stream. A request is listed before this is called, and a reset before the list is read. */
    boolean isReset(int stream) {
        return resets.contains(stream);
    }

    /** Forgets a request that has been answered. */
    void forget(int stream) {
        if (!flaws.isEmpty()) {
            flaws.remove(stream);
        }
    }

    /** Writes data without its padding, and grants the client the room again that the padding has taken. */
    private void writeData() {
        held = Held.NOTHING;
        var all = raw.toByteArray();
        raw.reset();
        var padding = 1 + (all[HEADER] & 0xFF);
        if (padding > frameLength) {
            throw new Http2Exception(Http2ErrorCode.PROTOCOL, "padding is longer than its frame");
        }
        var length = frameLength - padding;
        writeHeader(length, DATA, frameFlags & ~PADDED, frameStream);
        out.write(all, HEADER + 1, length);
        if (frameStream % 2 == 1 && frameStream <= highestStream) {
            room.grant(0, padding);
            if ((frameFlags & END_STREAM) == 0) {
                room.grant(frameStream, padding);
            }
        }
    }

    private void writeHeader(int length, int type, int flags, int stream) {
        out.writeBytes(ByteBuffer.allocate(HEADER).put((byte) (length >> 16)).putShort((short) length)
                .put((byte) type)
                .put((byte) flags).putInt(stream).array());
    }

    /** Adds the headers of the last frame. Returns false if its padding is wrong. */
    private boolean addToBlock(byte[] all) {
        var from = all.length - frameLength;
        var to = all.length;
        if (from == HEADER && (blockFlags & PADDED) != 0) { // continuations have none
            if (frameLength == 0 || (all[from] & 0xFF) >= frameLength) {
                return false;
            }
            to -= all[from] & 0xFF;
            from++;
        }
        block.write(all, from, to - from);
        return true;
    }

    /** Tells whether a setting makes the windows larger than they were. */
    private boolean widens(ByteBuffer setting) {
        if (setting.getShort() != INITIAL_WINDOW_SIZE) {
            return false;
        }
        var before = window;
        window = setting.getInt() & 0xFFFF_FFFFL;
        return window > before && window <= Integer.MAX_VALUE;
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
            case RST_STREAM -> {
                pay(RESET, "resets");
                resets.add(stream);
                resetsInOrder.add(stream);
                if (resetsInOrder.size() > MOST_RESETS) {
                    resets.remove(resetsInOrder.remove());
                }
                onReset.accept(stream);
            }
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

    /** Adds to the budget what has been earned since the last call. Called only when the budget is used up. */
    private void earn() {
        var forTime = Math.max(0, (clock.getAsLong() - paidUntil) / NANOS_PER_FRAME);
        paidUntil += forTime * NANOS_PER_FRAME;
        var forSent = Math.max(0, (sent.getAsLong() - paidSent) / SENT_PER_FRAME);
        paidSent += forSent * SENT_PER_FRAME;
        budget = Math.min(BURST, budget + forTime + forSent);
    }
}
