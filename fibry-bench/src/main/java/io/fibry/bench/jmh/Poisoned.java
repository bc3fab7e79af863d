package io.fibry.bench.jmh;

import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * An actor written by hand: a thread that takes messages from its queue.
 *
 * @param thread the thread
 * @param queue its queue
 */
record Poisoned(Thread thread, BlockingQueue<Object> queue) {
    private static final Object POISON = new Object();

    static Poisoned start(Thread.Builder builder, BlockingQueue<Object> queue, Consumer<Object> handler) {
        return new Poisoned(builder.start(() -> {
            try {
                for (var message = queue.take(); message != POISON; message = queue.take()) {
                    handler.accept(message);
                }
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException(nobodyDoesThat);
            }
        }), queue);
    }

    void poison() {
        queue.add(POISON);
    }

    void stop() {
        poison();
        join(thread);
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }
}
