package io.fibry.durable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Puts parts into one array of bytes, and takes them out again: a checksum, a number of parts, and for each its
 * length and bytes. SQLite has no checksums of pages, so it may return zeros for what a disk has lost.
 */
final class Frames {
    static final byte[] NONE = {};
    /** The size of the checksum and the number of parts. */
    private static final int HEADER = 2 * Integer.BYTES;

    /** The events of a turn that deletes its key begin with an empty part. */
    static final byte[] DELETED = join(List.of(NONE));
    /** The events of a turn that erases its key: nothing before it is missed. */
    static final byte[] ERASED = join(List.of(NONE, NONE));

    private Frames() {
    }

    /** Returns the parts in one array, which is empty if there are none. */
    static byte[] join(Collection<byte[]> parts) {
        if (parts.isEmpty()) {
            return NONE;
        }
        int size = parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum();
        var joined = ByteBuffer.allocate(HEADER + size);
        joined.putInt(0); // the checksum
        joined.putInt(parts.size());
        for (var part : parts) {
            joined.putInt(part.length).put(part);
        }
        return joined.putInt(0, checksum(joined.array())).array();
    }

    private static int checksum(byte[] joined) {
        var sum = new CRC32C();
        sum.update(joined, Integer.BYTES, joined.length - Integer.BYTES);
        return (int) sum.getValue();
    }

    /** Returns the events of a turn in one array. */
    static byte[] events(boolean isDeleted, List<byte[]> events) {
        var parts = new ArrayList<byte[]>(isDeleted ? List.of(NONE) : List.of());
        parts.addAll(events);
        return join(parts);
    }

    static boolean isDeleted(byte[] events) {
        return split(events).stream().anyMatch(part -> part.length == 0);
    }

    static List<byte[]> events(byte[] joined) {
        return split(joined).stream().filter(part -> part.length > 0).toList();
    }

    /** Returns bytes with a checksum; none for none. */
    static byte[] sealed(byte[] bytes) {
        return bytes.length == 0 ? NONE : join(List.of(bytes));
    }

    /** Returns the bytes that were {@linkplain #sealed sealed}. */
    static byte[] unsealed(byte[] sealed) {
        return sealed.length == 0 ? NONE : split(sealed).getFirst();
    }

    static List<byte[]> split(byte[] joined) {
        if (joined.length == 0) {
            return List.of();
        }
        var in = ByteBuffer.wrap(joined);
        // mutant: checksum-of-a-row-is-not-compared
        if (joined.length < HEADER || in.getInt() != checksum(joined)) {
            throw damaged("their checksum is another one");
        }
        var parts = new ArrayList<byte[]>();
        for (int left = in.getInt(); left > 0; left--) {
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw damaged("a part of " + length + " bytes where " + in.remaining() + " are left");
            }
            var part = new byte[length];
            in.get(part);
            parts.add(part);
        }
        return parts;
    }

    private static UncheckedIOException damaged(String what) {
        return new UncheckedIOException("the bytes in the store are not what was written: " + what,
                new IOException(what));
    }

    static byte[] outbox(List<Letter> letters) {
        var parts = new ArrayList<byte[]>();
        for (var letter : letters) {
            parts.add(letter.to().getBytes(StandardCharsets.UTF_8));
            parts.add(letter.message());
        }
        return join(parts);
    }

    static List<Letter> letters(byte[] outbox) {
        var parts = split(outbox);
        var letters = new ArrayList<Letter>();
        for (int i = 0; i + 1 < parts.size(); i += 2) {
            letters.add(new Letter(new String(parts.get(i), StandardCharsets.UTF_8), parts.get(i + 1)));
        }
        return letters;
    }

    /** A message of an outbox, and the group it goes to. */
    record Letter(String to, byte[] message) {
    }
}
