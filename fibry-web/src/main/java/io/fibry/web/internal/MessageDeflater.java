package io.fibry.web.internal;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** Compresses messages for a client. Used by the actor of the socket. Without a context it keeps no memory between them. */
final class MessageDeflater implements AutoCloseable {
    /** How many bytes are left out at the end of a message. */
    private static final int END = 4;
    private static final int PIECE = 4 * 1024;

    private final boolean keepsContext;
    private final int leastBytes;
    private @Nullable Deflater current;

    MessageDeflater(boolean keepsContext, int leastBytes) {
        this.keepsContext = keepsContext;
        this.leastBytes = leastBytes;
    }

    /** Returns the message compressed, or the message itself if that is not worth while. */
    byte[] deflate(byte[] message) {
        if (message.length < leastBytes) {
            return message;
        }
        var deflater = current == null ? new Deflater(Deflater.DEFAULT_COMPRESSION, true) : current;
        current = deflater;
        var compressed = compressed(deflater, message);
        if (keepsContext) {
            return compressed; // the next message may refer to it, so the client must get it
        }
        close();
        return compressed.length < message.length ? compressed : message;
    }

    private static byte[] compressed(Deflater deflater, byte[] message) {
        var whole = new ByteArrayOutputStream(message.length / 2 + END);
        var piece = new byte[PIECE];
        deflater.setInput(message);
        int count;
        do {
            count = deflater.deflate(piece, 0, PIECE, Deflater.SYNC_FLUSH);
            whole.write(piece, 0, count);
        } while (count == PIECE);
        return Arrays.copyOf(whole.toByteArray(), whole.size() - END);
    }

    @Override
    public void close() {
        var deflater = current;
        if (deflater != null) {
            current = null;
            deflater.end();
        }
    }
}
