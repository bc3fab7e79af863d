package io.fibry.internal.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Reads how many files and sockets this process may open and has open, on systems that provide this as Linux does. */
final class OpenFiles {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final Pattern MOST = Pattern.compile("^Max open files\\s+([0-9]{1,18})\\s");

    private OpenFiles() {
    }

    /** Returns how many more may be opened; a great number if this is unknown or there is no limit. */
    static long left() {
        try (var limits = Files.lines(LIMITS); var open = Files.list(OPEN)) {
            var most = limits.map(MOST::matcher).filter(line -> line.find()).findFirst();
            return most.isEmpty() ? Long.MAX_VALUE : Long.parseLong(most.get().group(1)) - open.count();
        } catch (IOException | RuntimeException unknown) {
            return Long.MAX_VALUE;
        }
    }
}
