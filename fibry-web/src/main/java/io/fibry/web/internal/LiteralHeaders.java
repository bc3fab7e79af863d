package io.fibry.web.internal;

import io.fibry.internal.net.HeaderList;
import io.helidon.common.buffers.BufferData;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Headers of answers on an HTTP/2 connection that Helidon 4.3.1 does not send: all but the first value of a header, and
 * values that do not fit into its table. This class adds them to Helidon's header blocks as literals, which change no table.
 */
final class LiteralHeaders {
    private static final int NEVER_INDEXED = 0x10;
    private static final int LONGEST_IN_TABLE = 1_024;
    /** Every client takes frames of this length. */
    private static final int LONGEST = 16_384;

    private final Map<Integer, byte[]> waiting = new ConcurrentHashMap<>();

    /** Passes on the values that Helidon sends, and remembers the others. Called before the head of the answer is sent. */
    void put(int stream, HeaderList headers, BiConsumer<String, String> sent) {
        var fields = new ByteArrayOutputStream();
        var seen = new HashSet<String>();
        headers.forEach((name, value) -> {
            var lowerCase = name.toLowerCase(Locale.ROOT);
            if (Requests.OF_CONNECTIONS.contains(lowerCase)) {
                return;
            }
            if (seen.add(lowerCase) && value.length() <= LONGEST_IN_TABLE) {
                sent.accept(name, value);
            } else {
                fields.write(NEVER_INDEXED);
                HeaderBlock.string(fields, lowerCase);
                HeaderBlock.string(fields, value);
            }
        });
        if (fields.size() > 0) {
            waiting.put(stream, fields.toByteArray());
        }
    }

    /** Forgets the values of an answer that has ended. */
    void forget(int stream) {
        waiting.remove(stream);
    }

    /** Returns a frame that Helidon writes, with the values that it lacks if it ends a header block. */
    BufferData added(BufferData frame) {
        if (waiting.isEmpty() || !endsHeaders(frame)) {
            return frame;
        }
        var fields = waiting.remove(number(frame, 5, 4));
        return fields == null ? frame : joined(frame, fields);
    }

    private static boolean endsHeaders(BufferData frame) {
        return frame.available() >= Http2Frames.HEADER
                && (frame.get(3) == Http2Frames.HEADERS || frame.get(3) == Http2Frames.CONTINUATION)
                && (frame.get(4) & Http2Frames.END_HEADERS) != 0;
    }

    private static int number(BufferData frame, int at, int bytes) {
        var number = 0;
        for (var i = at; i < at + bytes; i++) {
            number = number << 8 | (frame.get(i) & 0xFF);
        }
        return number;
    }

    private static BufferData joined(BufferData frame, byte[] fields) {
        var stream = number(frame, 5, 4);
        var length = number(frame, 0, 3);
        var flags = frame.get(4) & 0xFF;
        var type = frame.get(3) & 0xFF;
        frame.skip(Http2Frames.HEADER);
        var here = Math.min(fields.length, Math.max(0, LONGEST - length));
        var out = new ByteArrayOutputStream();
        var first = ByteBuffer.allocate(length + here).put(frame.readBytes()).put(fields, 0, here).array();
        var firstFlags = here == fields.length ? flags : flags & ~Http2Frames.END_HEADERS;
        out.writeBytes(CountedWriter.frame(type, firstFlags, stream, first));
        for (var at = here; at < fields.length; at += LONGEST) {
            var end = Math.min(at + LONGEST, fields.length);
            out.writeBytes(CountedWriter.frame(Http2Frames.CONTINUATION,
                    end == fields.length ? Http2Frames.END_HEADERS : 0, stream,
                    Arrays.copyOfRange(fields, at, end)));
        }
        return BufferData.create(out.toByteArray());
    }
}
