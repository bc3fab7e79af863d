package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Counts the sockets that this process has open. */
public final class OpenSockets {
    private static final Path FILES = Path.of("/proc/self/fd");

    static {
        // The JDK opens a socket of its own, once, to close others with.
        try {
            new ServerSocket(0).close();
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private OpenSockets() {
    }

    public static long count() {
        if (!Files.exists(FILES)) {
            return 0; // not Linux
        }
        try (var files = Files.list(FILES)) {
            return files.filter(OpenSockets::isSocket).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSocket(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    /** Waits until there are as many as before. */
    public static void areBack(long before) {
        Waits.until("sockets are closed", () -> count() <= before);
        assertThat(count()).isLessThanOrEqualTo(before);
    }
}
