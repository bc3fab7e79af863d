package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives a file to one process at a time, and to one store of this process. The lock is held on a second file beside
 * it, whose text names the process. The operating system releases the lock when the process ends, in whatever way.
 * Only a byte far behind the text is locked, so that other processes can read the text on every system.
 *
 * <p>POSIX releases a lock of a process when the process closes any descriptor of the file, also one that was opened
 * after the lock was taken. So a process has one channel for each of these files, and closes it only if no store of
 * this process can have the lock.
 */
final class StoreLock implements AutoCloseable {
    private static final ReentrantLock USING = new ReentrantLock();
    /** The channels by what identifies their files. Used under {@link #USING}. */
    private static final Map<Object, FileChannel> CHANNELS = new HashMap<>();

    private final Object id;
    private final FileChannel channel;

    private StoreLock(Object id, FileChannel channel) {
        this.id = id;
        this.channel = channel;
    }

    /** @param store the file, by its path without symbolic links */
    static StoreLock of(Path store) throws IOException {
        var path = store.resolveSibling(store.getFileName() + ".lock");
        USING.lock();
        try {
            var channel = Files.exists(path) ? CHANNELS.get(id(path)) : null;
            if (channel == null) {
                channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                CHANNELS.put(id(path), channel);
            }
            var lock = new StoreLock(id(path), channel);
            lock.take(store);
            return lock;
        } finally {
            USING.unlock();
        }
    }

    /** Returns what identifies a file, whatever its path is; the path itself if the system has nothing better. */
    private static Object id(Path path) throws IOException {
        var key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        return key == null ? path : key;
    }

    private void take(Path store) throws IOException {
        try {
            var taken = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
            if (taken == null) {
                throw inUse(store, text());
            }
            channel.truncate(0);
            channel.write(StandardCharsets.UTF_8
                    .encode("process " + ProcessHandle.current().pid() + " since " + Instant.now()), 0);
        } catch (OverlappingFileLockException ofThisProcess) {
            // The channel stays open: to close it would release the lock, also one that another class loader of this
            // process has. So nothing is read from it either: that closes it if the thread is interrupted.
            throw inUse(store, "process " + ProcessHandle.current().pid());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private String text() throws IOException {
        var bytes = ByteBuffer.allocate(200);
        channel.read(bytes, 0);
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }

    private static IllegalStateException inUse(Path store, String user) {
        return new IllegalStateException("the store " + store + " is in use by "
                + (user.isEmpty() ? "another process" : user)
                + "; a file belongs to one process, and there to one store: share that store, stop the other process, or use a database server");
    }

    boolean isHeld() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        USING.lock();
        try {
            CHANNELS.remove(id, channel);
            channel.close();
        } finally {
            USING.unlock();
        }
    }
}
