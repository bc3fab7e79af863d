package io.fibry.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/** The threads of this JVM, also the virtual ones, but for those that the JDK, JUnit and the library make once and keep. */
public final class LiveThreads {
    private static final Pattern THREAD = Pattern.compile("^#\\d+ \"([^\"]*)\"", Pattern.MULTILINE);
    private static final Pattern KEPT =
            Pattern.compile("(ForkJoinPool|CompletableFutureDelayScheduler|VirtualThread-|"
                    + "(Read-|Write-|Master-?|Sub)Poller|process reaper|Cleaner|Common-Cleaner|C[12] Compiler|Attach Listener"
                    + "|surefire|junit|fibry-timer|fibry-namer|fibry-replies).*");
    private static final long QUIET_NANOS = Duration.ofSeconds(5).toNanos();

    private LiveThreads() {
    }

    /** Returns their numbers and names. */
    public static Set<String> now() throws IOException {
        awaitQuiet();
        var dump = Files.createTempDirectory("threads").resolve("dump.txt");
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpThreads(dump.toString(),
                    ThreadDumpFormat.TEXT_PLAIN);
            return THREAD.matcher(Files.readString(dump)).results()
                    .filter(thread -> !KEPT.matcher(thread.group(1)).matches())
                    .map(thread -> "thread " + thread.group()).collect(Collectors.toSet());
        } finally {
            Files.deleteIfExists(dump);
            Files.delete(dump.getParent());
        }
    }

    /** Waits for up to five seconds until no virtual thread is mounted, since the JDK may crash when it dumps virtual threads that begin or end. */
    private static void awaitQuiet() {
        var begun = System.nanoTime();
        try {
            var server = ManagementFactory.getPlatformMBeanServer();
            var name = new ObjectName("jdk.management:type=VirtualThreadScheduler"); // since JDK 24
            while (server.isRegistered(name) && System.nanoTime() - begun < QUIET_NANOS
                    && ((Number) server.getAttribute(name, "MountedVirtualThreadCount")).intValue() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }
}
