package io.fibry.web.internal;

import io.fibry.net.HttpBody;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A part of a file as the content of an answer. The file is opened when it is sent.
 *
 * @param file the file, whose path has no links
 * @param from the first byte
 * @param length the number of bytes
 */
public record FilePart(Path file, long from, long length) implements HttpBody {
    private static final int PIECE = 64 * 1024;

    @Override
    public void writeTo(OutputStream out) throws IOException {
        try (var in = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            var buffer = ByteBuffer.allocate((int) Math.min(PIECE, length));
            for (var left = length; left > 0;) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), left));
                var count = in.read(buffer, from + length - left);
                if (count < 0) {
                    throw new IOException("the file has become shorter: " + file);
                }
                out.write(buffer.array(), 0, count);
                left -= count;
            }
        }
    }
}
