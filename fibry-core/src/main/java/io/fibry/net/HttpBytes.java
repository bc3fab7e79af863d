package io.fibry.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** A content that consists of an array of bytes. */
final class HttpBytes implements HttpBody {
    static final HttpBytes NONE = new HttpBytes(new byte[0]);

    private final byte[] bytes;

    HttpBytes(byte[] bytes) {
        this.bytes = Objects.requireNonNull(bytes, "bytes");
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
    }

    @Override
    public long length() {
        return bytes.length;
    }
}
