package io.fibry.internal.dump;

import io.fibry.internal.log.Logs;
import io.fibry.internal.scope.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Writes dumps of a scope to a directory, each into a file of its own. Confined to the thread of the watchdog. */
public final class DumpFiles implements Runnable {
    private static final Logger LOG = Logs.of("io.fibry");
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST = 100;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSSSSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Scope scope;
    private final Path directory;
    private int written;
    private long writtenAt;

    public DumpFiles(Scope scope, Path directory) {
        this.scope = scope;
        this.directory = directory;
    }

    /** Writes a dump, unless it comes too soon after the last one, or there were too many. Throws nothing. */
    @Override
    public void run() {
        var now = scope.time().nanoTime();
        if (written >= MOST || (written > 0 && now - writtenAt < PAUSE_NANOS)) {
            return;
        }
        written++;
        writtenAt = now;
        try {
            var dump = scope.dump();
            var file = directory.resolve(
                    "fibry-" + inFileName(scope.name()) + "-" + TIME.format(dump.takenAt()) + ".txt");
            Files.createDirectories(directory);
            Files.writeString(file, dump.text());
            LOG.warn("the watchdog of scope '{}' has written a dump: {}", scope.name(),
                    file.toAbsolutePath());
        } catch (Exception | StackOverflowError | OutOfMemoryError failure) {
            LOG.error(
                    "the watchdog of scope '{}' could not write a dump into '{}'; check that the directory can be written",
                    scope.name(), directory, failure);
        }
    }

    /** Returns a name in which only letters, digits, dots and hyphens are left. */
    private static String inFileName(String name) {
        return name.replaceAll("[^A-Za-z0-9.-]", "_");
    }
}
