package io.fibry.testing;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What the threads do when a wait has failed, the virtual ones too: a wait that is not met says where all others are. */
public final class ThreadsDump {
    private ThreadsDump() {
    }

    /** Returns the threads that run code of the library or of its tests. */
    public static String ofOurs() {
        try {
            var folder = Files.createTempDirectory("fibry-threads");
            var file = folder.resolve("threads.txt");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
            var threads = Arrays.stream(Files.readString(file).split("\n\n"))
                    .filter(thread -> thread.contains("fibry"))
                    .collect(Collectors.joining("\n\n"));
            Files.delete(file);
            Files.delete(folder);
            return threads;
        } catch (IOException | RuntimeException | LinkageError e) {
            return "no dump can be had: " + e; // of a JVM without that bean, say
        }
    }
}
