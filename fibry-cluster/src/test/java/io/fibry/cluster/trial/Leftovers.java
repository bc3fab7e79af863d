package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.LiveThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The threads, also virtual ones, and the sockets of this process that were not there at the beginning. */
public final class Leftovers {
    private final Set<String> before = now();

    public Leftovers() throws IOException {
    }

    /** Waits until all are gone, since a thread that has done its work may take a moment to end. */
    public void assertNone() throws Exception {
        var now = now();
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!before.containsAll(now) && System.nanoTime() < end) {
            Thread.yield();
            now = now();
        }
        now.removeAll(before);
        assertThat(now).isEmpty();
    }

    private static Set<String> now() throws IOException {
        var found = LiveThreads.now();
        if (Files.isDirectory(Path.of("/proc/self/fd"))) {
            try (var open = Files.list(Path.of("/proc/self/fd"))) {
                for (var each : open.toList()) {
                    try {
                        found.add(Files.readSymbolicLink(each).toString());
                    } catch (IOException closed) {
                        continue; // after the list was made
                    }
                }
            }
        }
        found.removeIf(each -> !each.startsWith("thread ") && !each.startsWith("socket:"));
        return found;
    }
}
