package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test after which there are threads that were not there before, virtual ones included: those of
 * actors, servers and examples. Threads that have been told to end may take a moment.
 */
final class ThreadsLeft implements BeforeEachCallback, AfterEachCallback {
    private static final Pattern THREAD = Pattern.compile("^#(\\d+) \"([^\"]*)\"");
    /** Started by the JVM when first needed, and kept. */
    private static final List<String> OF_THE_JVM = List.of("VirtualThread-unblocker", "Read-Poller",
            "Write-Poller", "MasterPoller", "Master-Poller", "SubPoller", "ForkJoinPool", "Cleaner",
            "process reaper", "Common-Cleaner",
            "HttpClient", "CompletableFutureDelayScheduler", "surefire", "Attach Listener", "fibry-timer",
            "fibry-namer", "fibry-replies",
            "junit", "VirtualThread-");
    private static final long QUIET_NANOS = Duration.ofSeconds(5).toNanos();
    private Set<String> before = Set.of();

    @Override
    public void beforeEach(ExtensionContext context) {
        before = threads();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Awaitility.await().pollInSameThread().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var now = threads();
            now.removeAll(before);
            assertThat(now).as("threads that the test left").isEmpty();
        });
    }

    /** For a moment at most: the JDK may crash when it dumps virtual threads that just come or go. */
    private static void awaitQuiet() {
        var begun = System.nanoTime();
        try {
            var server = ManagementFactory.getPlatformMBeanServer();
            var name = new ObjectName("jdk.management:type=VirtualThreadScheduler"); // since JDK 24
            while (server.isRegistered(name) && System.nanoTime() - begun < QUIET_NANOS
                    && ((Number) server.getAttribute(name, "MountedVirtualThreadCount")).intValue() > 0) {
                Thread.onSpinWait();
            }
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Set<String> threads() {
        awaitQuiet();
        try {
            var dump = Files.createTempDirectory("threads").resolve("dump.txt");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpThreads(dump.toString(),
                    ThreadDumpFormat.TEXT_PLAIN);
            try (var lines = Files.lines(dump)) {
                return lines.map(THREAD::matcher).filter(Matcher::find)
                        .filter(thread -> OF_THE_JVM.stream().noneMatch(thread.group(2)::startsWith))
                        .map(thread -> thread.group(1) + " " + thread.group(2))
                        .collect(Collectors.toSet());
            } finally {
                Files.delete(dump);
                Files.delete(dump.getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
