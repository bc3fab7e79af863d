package io.fibry.examples.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file of an account, which all nodes of this machine can reach. A real bank has a database. As there, a writer states what it has
 * read: a node that was frozen, and was replaced meanwhile, cannot overwrite what the next one has written.
 */
record AccountFile(Path path) {
    /** The number of the last deposit, and the money after it. */
    record Entry(long number, long cents) {
        private static final int SIZE = 2 * Long.BYTES;
    }

    /** Thrown if the file has another entry than the one that the writer knows. Nothing was written. */
    static final class OtherWriterException extends IOException {
        private static final long serialVersionUID = 1;

        OtherWriterException(Path path, Entry known, Entry found) {
            super("the account " + path.getFileName() + " has the entry " + found + ", and this writer knows "
                    + known + ": another node has written; ask again");
        }
    }

    static AccountFile of(Path folder, int account) throws IOException {
        return new AccountFile(Files.createDirectories(folder).resolve("account-" + account));
    }

    Entry read() throws IOException {
        try (var file = open()) {
            return read(file);
        }
    }

    void write(Entry known, Entry next) throws IOException {
        try (var file = open()) {
            var unused = file.lock(); // until the file is closed
            var found = read(file);
            if (!found.equals(known)) {
                throw new OtherWriterException(path, known, found);
            }
            file.write(ByteBuffer.allocate(Entry.SIZE).putLong(next.number()).putLong(next.cents()).flip(),
                    0);
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static Entry read(FileChannel file) throws IOException {
        var bytes = ByteBuffer.allocate(Entry.SIZE);
        file.read(bytes, 0);
        return bytes.hasRemaining() ? new Entry(0, 0)
                : new Entry(bytes.getLong(0), bytes.getLong(Long.BYTES));
    }
}
