package io.fibry.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Runs code in a thread of its own and waits for it. Neither an interrupt nor the deadline of the handler that calls cuts it short; the thread that calls
 * is interrupted afterwards if it was interrupted meanwhile.
 */
final class Apart {
    private Apart() {
    }

    static <T> T call(Supplier<T> code) {
        var result = new CompletableFuture<T>();
        Thread.ofVirtual().name("fibry-apart").start(() -> {
            try {
                result.complete(code.get());
            } catch (Throwable failed) {
                result.completeExceptionally(failed);
            }
        });
        try {
            return result.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (failed.getCause() instanceof Error cause) {
                throw cause;
            }
            throw failed;
        }
    }
}
