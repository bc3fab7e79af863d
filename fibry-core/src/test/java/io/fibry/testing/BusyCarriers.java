package io.fibry.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Virtual threads that compute, as many as there are carriers: no other virtual thread gets to run. */
public final class BusyCarriers {
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    /** What to do meanwhile. */
    @FunctionalInterface
    public interface Task {
        /** Does it. */
        void run() throws Exception;
    }

    public static void during(Task task) throws Exception {
        var busy = new BusyCarriers();
        try {
            task.run();
        } finally {
            busy.end();
        }
    }

    private BusyCarriers() throws InterruptedException {
        var count = count();
        var running = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                running.countDown();
                while (!over) {
                    Thread.onSpinWait();
                }
            }));
        }
        Waits.on(running);
    }

    /** How many carriers there are. */
    public static int count() {
        return Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
    }

    private void end() throws InterruptedException {
        over = true;
        for (var thread : threads) {
            Waits.on(thread);
        }
    }
}
