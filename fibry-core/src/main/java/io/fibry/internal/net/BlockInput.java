package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;

/** An input stream that is read in blocks: a single byte is a block of one byte, and a block of no bytes is not read. */
public abstract class BlockInput extends InputStream {
    /** For subclasses. */
    protected BlockInput() {
    }

    @Override
    public final int read() throws IOException {
        var one = new byte[1];
        return readBlock(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public final int read(byte[] bytes, int offset, int length) throws IOException {
        return length == 0 ? 0 : readBlock(bytes, offset, length);
    }

    /** Reads at least one byte, unless the stream has ended. Returns how many bytes it has read, or -1 at the end. */
    protected abstract int readBlock(byte[] bytes, int offset, int length) throws IOException;
}
