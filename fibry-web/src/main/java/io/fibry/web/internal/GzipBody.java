package io.fibry.web.internal;

import io.fibry.net.HttpBody;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Content that is compressed while it is written.
 *
 * @param content the content
 */
public record GzipBody(HttpBody content) implements HttpBody {
    private static final int BUFFER = 8_192;

    @Override
    public void writeTo(OutputStream out) throws Exception {
        var gzip = new Compressor(new Unclosed(out));
        try {
            content.writeTo(gzip);
            gzip.finish(); // not after a failure: the client must see that something is missing
        } finally {
            gzip.release();
        }
    }

    /** A stream whose memory outside the heap is given back even if it is not finished. */
    private static final class Compressor extends GZIPOutputStream {
        Compressor(OutputStream out) throws IOException {
            super(out, BUFFER, true);
        }

        void release() {
            def.end();
        }
    }

    /** The stream to the client, which only the server closes. */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
