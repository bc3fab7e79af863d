package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Asks the collector. A thread that ends may hold something until its last step, and it hardly gets a processor while one
 * collection follows the other: so there is a pause after each of them, as long as the collection was. What is limited is the
 * time, and it is only up when there were so many collections: a machine may stand still for longer than any limit.
 */
public final class Garbage {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int FEWEST = 20;

    private Garbage() {
    }

    public static void is(Reference<?> reference) {
        isEachOf(List.of(reference));
    }

    public static void isEachOf(Collection<? extends Reference<?>> references) {
        var numbered = new LinkedHashMap<String, Reference<?>>();
        references.forEach(reference -> numbered.put("number " + numbered.size(), reference));
        isEachOf(numbered);
    }

    /** Checks that each is collected. A failure names those that are left, and a heap dump that shows what keeps them. */
    public static void isEachOf(Map<String, ? extends Reference<?>> references) {
        try {
            isEachOf(references, Patience.LIMIT);
        } catch (AssertionError e) {
            // The threads first: what they hold, they may let go while the heap is written.
            throw new AssertionError(
                    e.getMessage() + "\n" + ThreadsDump.ofOurs() + "\nthe heap is in " + heap()
                            + "; of Fibry's classes there are\n" + histogram(),
                    e);
        }
    }

    static void isEachOf(Map<String, ? extends Reference<?>> references, Duration limit) {
        var begun = System.nanoTime();
        for (var collections = 0; !left(references).isEmpty(); collections++) {
            var before = System.nanoTime();
            if (before - begun > limit.toNanos() && collections >= FEWEST) {
                assertThat(left(references)).as("still reachable of %d, after %d collections",
                        references.size(), collections).isEmpty();
            }
            System.gc();
            LockSupport.parkNanos(Math.max(SHORTEST_PAUSE, System.nanoTime() - before));
        }
    }

    private static List<String> left(Map<String, ? extends Reference<?>> references) {
        return references.entrySet().stream().filter(each -> !each.getValue().refersTo(null)).<String>map(
                Map.Entry::getKey).toList();
    }

    /** Writes the objects of the heap that can be reached, and returns the name of the file: it shows by what something is kept. */
    private static String heap() {
        var file = "target/kept-" + System.nanoTime() + ".hprof";
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file, true);
            return file;
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Returns how many objects of the library and of its tests the heap has: what is kept may show by whom. */
    private static String histogram() {
        try {
            var text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                    new Object[]{new String[0]}, new String[]{String[].class.getName()});
            return text.lines().filter(line -> line.contains("io.fibry.")).collect(Collectors.joining("\n"));
        } catch (JMException e) {
            return e.toString();
        }
    }
}
