package io.fibry.cluster.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames as bytes: a byte for the version, one for the kind, the epoch, and what the kind has. Frames that go
 * together follow one another. Counts and lengths are checked before anything of their size is made.
 */
public final class FrameCodec {
    private static final byte VERSION = 2;
    private static final byte ITEMS = 1;
    private static final byte VERDICTS = 2;
    private static final byte RETIRED = 3;
    private static final int HEAD = 2 + Long.BYTES;
    /** A frame never has more items than this, nor more verdicts. */
    private static final int MOST = 1 << 16;
    private static final int RUN = 1 + Long.BYTES + Integer.BYTES;
    /** No more frames than this go together. This also limits the memory that they are decoded to. */
    private static final int MOST_TOGETHER = 8;

    private FrameCodec() {
    }

    /** Returns the bytes of frames. */
    public static ByteBuffer encode(StreamFrame... frames) {
        var size = 0;
        for (var frame : frames) {
            size += size(frame);
        }
        var bytes = ByteBuffer.allocate(size);
        for (var frame : frames) {
            put(bytes, frame);
        }
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, StreamFrame frame) {
        bytes.put(VERSION);
        switch (frame) {
            case StreamFrame.Items items -> {
                bytes.put(ITEMS).putLong(items.epoch()).putLong(items.first()).putLong(items.confirmed());
                bytes.putInt(items.items().size());
                for (var item : items.items()) {
                    bytes.putInt(item.length).put(item);
                }
            }
            case StreamFrame.Verdicts verdicts -> {
                bytes.put(VERDICTS).putLong(verdicts.epoch()).putLong(verdicts.arrived())
                        .putLong(verdicts.from());
                bytes.putInt(verdicts.verdicts().size());
                for (var run : verdicts.verdicts()) {
                    bytes.put(run.verdict().code).putLong(run.first()).putInt(run.length());
                }
            }
            case StreamFrame.Retired retired -> bytes.put(RETIRED).putLong(retired.epoch());
        }
    }

    private static int size(StreamFrame frame) {
        return switch (frame) {
            case StreamFrame.Items items -> HEAD + 2 * Long.BYTES + Integer.BYTES + size(items.items());
            case StreamFrame.Verdicts verdicts -> HEAD + 2 * Long.BYTES + Integer.BYTES
                    + verdicts.verdicts().size() * RUN;
            case StreamFrame.Retired retired -> HEAD;
        };
    }

    private static int size(List<byte[]> items) {
        var size = Integer.BYTES * items.size();
        for (var item : items) {
            size += item.length;
        }
        return size;
    }

    /**
     * Reads all frames.
     *
     * @throws BadFrameException if the bytes are no frames, with the reason
     */
    public static List<StreamFrame> decode(ByteBuffer given) throws BadFrameException {
        var bytes = given.slice();
        var frames = new ArrayList<StreamFrame>(2);
        do {
            if (frames.size() == MOST_TOGETHER) {
                throw new BadFrameException("more than " + MOST_TOGETHER + " frames go together");
            }
            frames.add(next(bytes));
        } while (bytes.hasRemaining());
        return frames;
    }

    private static StreamFrame next(ByteBuffer bytes) throws BadFrameException {
        need(bytes, HEAD, "the head of a frame");
        var version = bytes.get();
        if (version != VERSION) {
            throw new BadFrameException(
                    "a frame has version " + version + "; this node reads version " + VERSION
                            + ": update the older of both nodes");
        }
        var kind = bytes.get();
        var epoch = bytes.getLong();
        return switch (kind) {
            case ITEMS -> items(epoch, bytes);
            case VERDICTS -> verdicts(epoch, bytes);
            case RETIRED -> new StreamFrame.Retired(epoch);
            default -> throw new BadFrameException("a frame has the unknown kind " + kind);
        };
    }

    private static StreamFrame items(long epoch, ByteBuffer bytes) throws BadFrameException {
        need(bytes, 2 * Long.BYTES + Integer.BYTES, "the numbers of a frame");
        var first = bytes.getLong();
        var confirmed = bytes.getLong();
        var count = count(bytes);
        var items = new ArrayList<byte[]>();
        for (int i = 0; i < count; i++) {
            need(bytes, Integer.BYTES, "the length of an item");
            var length = bytes.getInt();
            need(bytes, length, "an item");
            var item = new byte[length];
            bytes.get(item);
            items.add(item);
        }
        return new StreamFrame.Items(epoch, first, confirmed, items);
    }

    private static StreamFrame verdicts(long epoch, ByteBuffer bytes) throws BadFrameException {
        need(bytes, 2 * Long.BYTES + Integer.BYTES, "the numbers of verdicts");
        var arrived = bytes.getLong();
        var from = bytes.getLong();
        var count = count(bytes);
        var runs = new ArrayList<StreamFrame.Run>();
        var sum = 0;
        for (int i = 0; i < count; i++) {
            need(bytes, RUN, "a run of verdicts");
            var verdict = verdict(bytes.get());
            var first = bytes.getLong();
            var length = bytes.getInt();
            if (length < 1 || length > MOST - sum) {
                throw new BadFrameException("a run of " + length + " verdicts; a frame has at most " + MOST);
            }
            if (first < 1 || arrived < first || arrived - first < length - 1) {
                throw new BadFrameException(
                        length + " verdicts from item " + first + "; the last one that has arrived is "
                                + arrived);
            }
            sum += length;
            runs.add(new StreamFrame.Run(verdict, first, length));
        }
        return new StreamFrame.Verdicts(epoch, arrived, from, runs);
    }

    private static Verdict verdict(byte code) throws BadFrameException {
        for (var verdict : Verdict.values()) {
            if (verdict.code == code) {
                return verdict;
            }
        }
        throw new BadFrameException("a verdict has the unknown code " + code);
    }

    private static int count(ByteBuffer bytes) throws BadFrameException {
        var count = bytes.getInt();
        if (count < 0 || count > MOST) {
            throw new BadFrameException("a frame has the count " + count + "; it may be 0 to " + MOST);
        }
        return count;
    }

    private static void need(ByteBuffer bytes, int length, String what) throws BadFrameException {
        if (length < 0 || bytes.remaining() < length) {
            throw new BadFrameException(
                    what + " of " + length + " bytes, of which " + bytes.remaining() + " are there");
        }
    }
}
