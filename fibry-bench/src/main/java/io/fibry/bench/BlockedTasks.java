package io.fibry.bench;

import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs tasks that block, in a JVM of its own, and reports how much memory the JVM has meanwhile. */
enum BlockedTasks {
    /** A worker for each task. */
    FIBERS {
        @Override
        Executor executor(int threads) {
            return Stereotypes.fibers().<Runnable>workers(Runnable::run)::sendMessage;
        }
    },
    /** A worker for each task, on a virtual thread of its own that is not a fiber of the library. */
    OWN_THREADS {
        @Override
        Executor executor(int threads) {
            var own = CreationStrategy.of(Executors.newVirtualThreadPerTaskExecutor());
            return Stereotypes.on(own).<Runnable>workers(Runnable::run)::sendMessage;
        }
    },
    /** A bare virtual thread for each task. */
    VIRTUAL {
        @Override
        Executor executor(int threads) {
            return Executors.newVirtualThreadPerTaskExecutor();
        }
    },
    /** A fixed number of threads, and a queue without a bound. */
    FIXED {
        @Override
        Executor executor(int threads) {
            return Executors.newFixedThreadPool(threads);
        }
    },
    /** A new thread for each task if no thread is idle. */
    CACHED {
        @Override
        Executor executor(int threads) {
            return Executors.newCachedThreadPool();
        }
    };

    static final long EVERY_MILLIS = 100;
    private static final String MEMORY = "memory ";
    private static final int PATIENCE_SECONDS = 120;

    abstract Executor executor(int threads);

    /** Returns the memory in MiB that a line of the child reports; empty if the line has another purpose. */
    static List<Long> memory(String line) {
        return line.startsWith(MEMORY) ? List.of(Long.valueOf(line.substring(MEMORY.length()))) : List.of();
    }

    /**
     * Runs in the child.
     *
     * @param args the peer, the number of tasks, how long each of them blocks, the number of threads of a fixed pool
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        int count = Integer.parseInt(args[1]);
        int millis = Integer.parseInt(args[2]);
        var executor = valueOf(args[0]).executor(Integer.parseInt(args[3]));
        var ended = new Semaphore(0);
        var done = new CountDownLatch(1);
        var watch = Thread.ofPlatform().start(() -> watch(done));
        var cost = Cost.untilNow();
        var start = System.nanoTime();
        int begun = begin(executor, count, millis, ended);
        boolean all = ended.tryAcquire(begun, PATIENCE_SECONDS, TimeUnit.SECONDS);
        ChildJvm.result("seconds", (System.nanoTime() - start) / 1e9);
        var used = cost.forEachOf(1);
        ChildJvm.result("bytes", used.bytes() / count);
        ChildJvm.result("cpu", Math.max(0.01, used.nanos() / 1e9));
        ChildJvm.result("ended", all ? begun : ended.availablePermits());
        done.countDown();
        watch.join();
        Runtime.getRuntime().halt(0); // idle threads of pools would keep the JVM alive for a minute
    }

    /** Begins all tasks. If the JVM gets no more threads, it reports how many were begun, and ends at once. */
    private static int begin(Executor executor, int count, int millis, Semaphore ended) {
        for (int i = 0; i < count; i++) {
            try {
                executor.execute(() -> block(millis, ended));
            } catch (OutOfMemoryError noThread) {
                ChildJvm.result("refused", i);
                System.out.println(noThread.getMessage());
                Runtime.getRuntime().halt(0); // a JVM without memory is not to be trusted any longer
            }
        }
        return count;
    }

    private static void block(int millis, Semaphore ended) {
        try {
            Thread.sleep(millis);
            ended.release();
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }

    private static void watch(CountDownLatch done) {
        try {
            do {
                System.out.println(MEMORY + Math.max(1, mebibytes()));
            } while (!done.await(EVERY_MILLIS, TimeUnit.MILLISECONDS));
            System.out.println(MEMORY + Math.max(1, mebibytes()));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the memory of the machine that the process holds, with its stacks; where this is not known, the heap. */
    private static long mebibytes() throws IOException {
        var status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return Heap.used() >> 20;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst()
                    .orElseThrow() >> 10;
        }
    }
}
