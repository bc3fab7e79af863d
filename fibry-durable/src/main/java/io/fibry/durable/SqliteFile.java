package io.fibry.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;

/**
 * Finds out whether a file of SQLite has lost its end, as a file may when the power fails and its disk does not honour
 * flushes. SQLite notices a damaged page when it reads it, and not always then. To read the whole file at each start would
 * take long. So a file is read only if it is shorter than it says, or ends with zeros; this may also have other reasons.
 */
final class SqliteFile {
    private static final int HEADER = 100;
    private static final int END = 512;

    private SqliteFile() {
    }

    /**
     * Returns the path of a file without symbolic links: one file has one such path. Makes the file if it is not
     * there. Never opens one that is there: to close it would release the locks that SQLite has on it.
     */
    static Path real(Path name) throws IOException {
        if (!Files.exists(name)) {
            FileChannel.open(name, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
        }
        return name.toRealPath();
    }

    /** Refuses a file that has several names on the disk. SQLite, and the lock of a store, would take them for several files. */
    static void requireOneName(Path file) throws IOException {
        if (Files.exists(file) && file.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(file, "unix:nlink") instanceof Integer names && names > 1) {
            throw new IllegalStateException("the store " + file + " is a file with " + names
                    + " names (hard links), and another process may have it by another name: remove the other names, or use a copy of the file");
        }
    }

    /** Tells whether the file is to be checked. Called before SQLite opens it: its locks end when another channel is closed. */
    static boolean mayHaveLostItsEnd(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return false;
        }
        try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < HEADER) {
                return true;
            }
            var header = read(channel, 0, HEADER);
            int page = Short.toUnsignedInt(header.getShort(16));
            long pages = Integer.toUnsignedLong(header.getInt(28));
            return size < pages * (page == 1 ? 65_536 : page) || isZero(read(channel, size - END, END));
        }
    }

    private static ByteBuffer read(FileChannel channel, long from, int length) throws IOException {
        var bytes = ByteBuffer.allocate(length);
        int more = 0;
        while (bytes.hasRemaining() && more >= 0) {
            more = channel.read(bytes, Math.max(0, from) + bytes.position());
        }
        return bytes.flip();
    }

    private static boolean isZero(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            if (bytes.get() != 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads the whole file, with what the write-ahead log adds to it, and fails if it is damaged. */
    static void check(Sql sql, Path file) throws SQLException {
        var found = sql.first("PRAGMA integrity_check(1)", rows -> rows.getString(1)).orElse("no result");
        if (!"ok".equals(found)) {
            throw new SQLException(
                    "the store " + file + " is damaged, its end may be lost; restore a backup: "
                            + found.strip());
        }
    }
}
