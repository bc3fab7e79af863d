package io.fibry.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** Files to be read, from the disk itself where the system supports it. Thread-safe. */
final class ReadFiles implements AutoCloseable {
    private static final int COUNT = 16;
    static final int BYTES = 64 * 1024;

    private final Path[] files = new Path[COUNT];
    private final long[] sums = new long[COUNT];
    private final Path folder = Files.createTempDirectory("fibry-bench");
    private final boolean isDirect;
    private final Set<OpenOption> options;
    private final int alignment;

    ReadFiles() throws IOException {
        var random = new Random(1);
        for (int i = 0; i < COUNT; i++) {
            var bytes = new byte[BYTES];
            random.nextBytes(bytes);
            files[i] = Files.write(folder.resolve("file-" + i), bytes);
            sums[i] = sum(ByteBuffer.wrap(bytes));
        }
        alignment = (int) Files.getFileStore(folder).getBlockSize();
        var direct = direct();
        isDirect = direct.stream().anyMatch(this::works);
        options = isDirect
                ? Set.of(StandardOpenOption.READ, direct.getFirst())
                : Set.of(StandardOpenOption.READ);
    }

    /**
     * Finds the option by its name: javac warns of it, as of an internal class, and no annotation suppresses this
     * warning.
     */
    private static List<OpenOption> direct() {
        try {
            return Stream.of(Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
                    .map(OpenOption.class::cast).filter(option -> option.toString().equals("DIRECT"))
                    .toList();
        } catch (ClassNotFoundException thisJdkHasNone) {
            return List.of();
        }
    }

    /** Tells whether the option works. Some file systems, for example those in memory, cannot bypass the cache. */
    private boolean works(OpenOption direct) {
        try (var channel = FileChannel.open(files[0], StandardOpenOption.READ, direct)) {
            return channel.read(buffer()) > 0;
        } catch (IOException | UnsupportedOperationException refused) {
            return false;
        }
    }

    String how() {
        return "%d files of %d KiB in %s, read %s".formatted(COUNT, BYTES / 1024, folder.getParent(),
                isDirect
                        ? "past the system's cache"
                        : "from the system's cache: that is copying, not waiting");
    }

    Path file(int number) {
        return files[Math.floorMod(number, COUNT)];
    }

    /** Reads one file to its end. */
    void read(int number) throws IOException {
        int which = Math.floorMod(number, COUNT);
        var buffer = buffer();
        try (var channel = FileChannel.open(files[which], options)) {
            while (buffer.position() < BYTES && channel.read(buffer) >= 0) {
                // a read may return less than the whole file
            }
        }
        check(which, buffer);
    }

    /** Reads one file to its end by a channel that calls back. No thread of the caller waits. */
    CompletableFuture<Integer> readLater(int number) throws IOException {
        int which = Math.floorMod(number, COUNT);
        var channel = AsynchronousFileChannel.open(files[which], options, null);
        var bytes = new CompletableFuture<Integer>();
        readOn(which, channel, buffer(), bytes);
        return bytes;
    }

    private void readOn(int which, AsynchronousFileChannel channel, ByteBuffer buffer,
            CompletableFuture<Integer> bytes) {
        channel.read(buffer, buffer.position(), bytes, new CompletionHandler<>() {
            @Override
            public void completed(Integer count, CompletableFuture<Integer> result) {
                if (count >= 0 && buffer.position() < BYTES) {
                    readOn(which, channel, buffer, result);
                    return;
                }
                try (channel) {
                    int read = buffer.position();
                    check(which, buffer);
                    result.complete(read);
                } catch (IOException e) {
                    result.completeExceptionally(e);
                }
            }

            @Override
            public void failed(Throwable why, CompletableFuture<Integer> result) {
                try (channel) {
                    result.completeExceptionally(why);
                } catch (IOException e) {
                    why.addSuppressed(e);
                }
            }
        });
    }

    private void check(int which, ByteBuffer buffer) throws IOException {
        var sum = sum(buffer.flip());
        if (sum != sums[which]) {
            throw new IOException("%s has the checksum %x, not %x".formatted(files[which], sum, sums[which]));
        }
    }

    private ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(BYTES + alignment).alignedSlice(alignment);
    }

    private static long sum(ByteBuffer bytes) {
        var sum = new CRC32();
        sum.update(bytes);
        return sum.getValue();
    }

    @Override
    public void close() throws IOException {
        for (var file : files) {
            Files.delete(file);
        }
        Files.delete(folder);
    }
}
