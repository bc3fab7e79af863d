package io.fibry.testing;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the live threads that the library has made: all of them have names that start with "fibry".
 *
 * <p>No API lists virtual threads but the one that dumps them with their stacks, and the JDK may crash in that while
 * one of them comes or goes (25.0.3, in vframeStream below ThreadSnapshotFactory). So this asks the JDK's own list of
 * threads, which the build opens to the tests.
 */
final class FibryThreads {
    private static final MethodHandle ROOT;
    private static final MethodHandle THREADS;

    static {
        try {
            var containers = Class.forName("jdk.internal.vm.ThreadContainers");
            var container = Class.forName("jdk.internal.vm.ThreadContainer");
            var lookup = MethodHandles.privateLookupIn(containers, MethodHandles.lookup());
            ROOT = lookup.findStatic(containers, "root", MethodType.methodType(container));
            THREADS = lookup.findVirtual(container, "threads", MethodType.methodType(Stream.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private FibryThreads() {
    }

    /** One thread for the whole JVM, which waits at a queue for ever once a reply was deferred. */
    private static final String OF_LOST_REPLIES = "fibry-replies";

    /** Those that are alive, by their ids. The thread of the name {@code exempt} does not count. */
    static Map<Long, Thread> alive(String exempt) {
        return Stream.concat(platform(), virtual())
                .filter(thread -> thread.getName().startsWith("fibry") && !thread.getName().equals(exempt)
                        && !thread.getName().equals(OF_LOST_REPLIES)
                        && thread.isAlive())
                .collect(Collectors.toMap(Thread::threadId, thread -> thread, (one, same) -> one,
                        LinkedHashMap::new));
    }

    /** What it does. */
    static String text(Thread thread) {
        return (thread.isVirtual() ? "fiber " : "thread ") + thread.getName() + " #" + thread.threadId()
                + " is alive:\n    "
                + Arrays.stream(thread.getStackTrace()).map(Object::toString)
                        .collect(Collectors.joining("\n    "));
    }

    private static Stream<Thread> platform() {
        var group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        var threads = new Thread[2 * group.activeCount() + 100];
        return Arrays.stream(threads, 0, group.enumerate(threads));
    }

    @SuppressWarnings("unchecked") // that is what it returns
    private static Stream<Thread> virtual() {
        try {
            return ((Stream<Thread>) THREADS.invoke(ROOT.invoke())).filter(Thread::isVirtual);
        } catch (Throwable e) {
            throw new AssertionError("the JDK's threads cannot be listed", e);
        }
    }
}
