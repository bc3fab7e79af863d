package io.fibry.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Threads, platform and virtual ones by turns, that start together. What one of them throws, join throws. */
public final class Senders {
    private final List<CompletableFuture<Void>> ends = new ArrayList<>();

    /** What each of them does. */
    @FunctionalInterface
    public interface Task {
        void run(int sender) throws Exception;
    }

    private Senders() {
    }

    /** Starts them and waits for their ends. */
    public static void run(int count, Task task) throws Exception {
        start(count, task).join();
    }

    public static Senders start(int count, Task task) {
        var senders = new Senders();
        var together = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            var sender = i;
            var end = new CompletableFuture<Void>();
            senders.ends.add(end);
            var thread = i % 2 == 0 ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
            thread.name("sender-" + i).start(() -> {
                try {
                    together.countDown();
                    together.await();
                    task.run(sender);
                    end.complete(null);
                } catch (Throwable failure) {
                    end.completeExceptionally(failure);
                }
            });
        }
        return senders;
    }

    public void join() throws Exception {
        for (var end : ends) {
            Waits.on(end);
        }
    }
}
