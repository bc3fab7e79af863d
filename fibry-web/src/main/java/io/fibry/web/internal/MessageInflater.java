package io.fibry.web.internal;

import io.fibry.web.WebSocketClose;
import java.io.ByteArrayOutputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Inflates the messages of a client. It never makes more bytes than a message may have, however few have come. Used
 * by the reader of the socket. Without a context it keeps no memory between messages.
 */
final class MessageInflater implements AutoCloseable {
    /** What the client leaves out at the end of a message. */
    private static final byte[] END = {0, 0, (byte) 0xFF, (byte) 0xFF};
    private static final int PIECE = 4 * 1024;

    private final boolean keepsContext;
    private @Nullable Inflater current;

    MessageInflater(boolean keepsContext) {
        this.keepsContext = keepsContext;
    }

    /** Inflates a fragment of a message to at most {@code most} bytes. */
    byte[] inflate(byte[] fragment, boolean isLast, int most) throws Violation {
        var inflater = current == null ? new Inflater(true) : current;
        current = inflater;
        var whole = new ByteArrayOutputStream(fragment.length);
        try {
            add(inflater, fragment, most, whole);
            if (isLast) {
                add(inflater, END, most, whole);
            }
        } catch (DataFormatException e) {
            throw new Violation(WebSocketClose.INVALID_TEXT, "the message is not well compressed");
        }
        if (isLast && !keepsContext) {
            close();
        }
        return whole.toByteArray();
    }

    private static void add(Inflater inflater, byte[] bytes, int most, ByteArrayOutputStream to)
            throws DataFormatException, Violation {
        var piece = new byte[PIECE];
        inflater.setInput(bytes);
        while (true) {
            var count = inflater.inflate(piece);
            if (to.size() + count > most) {
                throw new Violation(WebSocketClose.TOO_BIG, "the message is too long");
            }
            to.write(piece, 0, count);
            if (inflater.finished()) { // the client may end its data in the middle of a message, and begin again
                var left = inflater.getRemaining();
                inflater.reset();
                inflater.setInput(bytes, bytes.length - left, left);
            }
            if (count == 0 && inflater.needsInput()) {
                return;
            }
            if (inflater.needsDictionary()) {
                throw new DataFormatException("a dictionary is needed");
            }
        }
    }

    @Override
    public void close() {
        var inflater = current;
        if (inflater != null) {
            current = null;
            inflater.end();
        }
    }
}
