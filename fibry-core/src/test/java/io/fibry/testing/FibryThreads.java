package io.fibry.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/** Finds the live threads that the library has made: all of them have names that start with "fibry". */
final class FibryThreads {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final HotSpotDiagnosticMXBean DIAGNOSTICS =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

    private FibryThreads() {
    }

    /** What they do, by their ids. The thread of the name {@code exempt} does not count. */
    static Map<Long, String> alive(String exempt) {
        var found = platform(exempt);
        found.putAll(virtual());
        return found;
    }

    private static Map<Long, String> platform(String exempt) {
        var group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        var threads = new Thread[2 * group.activeCount() + 100];
        var count = group.enumerate(threads);
        var found = new LinkedHashMap<Long, String>();
        for (var thread : Arrays.copyOf(threads, count)) {
            if (thread.getName().startsWith("fibry") && !thread.getName().equals(exempt)) {
                found.put(thread.threadId(), "thread " + thread.getName() + " is alive:\n    "
                        + String.join("\n    ", Arrays.stream(thread.getStackTrace()).map(Object::toString)
                                .toList()));
            }
        }
        return found;
    }

    /**
     * Waits, for a moment at most, until no virtual thread is on a carrier: the JDK may crash when it dumps one that
     * is just coming or going (seen on 25.0.3, in vframeStream below ThreadSnapshotFactory). Only JDK 24 and later tell.
     */
    private static void awaitQuiet() {
        var end = System.nanoTime() + QUIET_NANOS;
        try {
            var server = ManagementFactory.getPlatformMBeanServer();
            var name = new ObjectName("jdk.management:type=VirtualThreadScheduler");
            while (server.isRegistered(name) && System.nanoTime() - end < 0
                    && ((Number) server.getAttribute(name, "MountedVirtualThreadCount")).intValue() > 0) {
                Thread.onSpinWait();
            }
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No API lists virtual threads but the one that writes a thread dump, which takes a few milliseconds. */
    private static Map<Long, String> virtual() {
        awaitQuiet();
        try {
            var file = Files.createTempFile("threads", ".txt");
            Files.delete(file);
            DIAGNOSTICS.dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
            try {
                return fibers(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<Long, String> fibers(Path dump) throws IOException {
        var found = new LinkedHashMap<Long, String>();
        for (var thread : String.join("\n", Files.readAllLines(dump)).split("\n\n")) {
            var header = thread.lines().findFirst().orElse("");
            if (header.startsWith("#") && header.contains(" \"fibry") && header.contains(" virtual")) {
                found.put(Long.valueOf(header.substring(1, header.indexOf(' '))), "fiber " + thread);
            }
        }
        return found;
    }
}
