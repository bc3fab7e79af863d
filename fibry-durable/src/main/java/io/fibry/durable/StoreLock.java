package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Gives a file to one process at a time. The lock is held on a second file beside it, whose text names the process. The operating
 * system releases the lock when the process ends, in whatever way. Only a byte far behind the text is locked, so that other
 * processes can read the text on every system.
 */
final class StoreLock implements AutoCloseable {
    private final FileChannel channel;

    private StoreLock(FileChannel channel) {
        this.channel = channel;
    }

    static StoreLock of(Path store) throws IOException {
        var path = store.resolveSibling(store.getFileName() + ".lock");
        var channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        try {
            if (lock(channel) == null) {
                throw new IllegalStateException("the store " + store + " is in use by " + text(channel)
                        + "; a file belongs to one process: stop the other one, or use a database server");
            }
            channel.truncate(0);
            channel.write(StandardCharsets.UTF_8
                    .encode("process " + ProcessHandle.current().pid() + " since " + Instant.now()), 0);
            return new StoreLock(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock(Long.MAX_VALUE - 1, 1, false);
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static String text(FileChannel channel) throws IOException {
        var bytes = ByteBuffer.allocate(200);
        channel.read(bytes, 0);
        var text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        return text.isEmpty() ? "another process" : text;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
