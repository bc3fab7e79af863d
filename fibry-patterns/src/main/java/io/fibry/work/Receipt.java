package io.fibry.work;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A receipt for long work: it shows how far the work is, and gives its result. Objects are thread-safe. Programs do not implement
 * this interface.
 *
 * @param <T> type of the result
 */
public interface Receipt<T extends @Nullable Object> {
    /**
     * Returns the id by which {@link Receipts#find} finds the receipt.
     *
     * @return the id
     */
    String id();

    /**
     * Returns how far the work is.
     *
     * @return its state
     */
    ReceiptState state();

    /**
     * Returns a future of the result. Each call returns another future; the cancellation of one of them does not end the
     * work.
     *
     * @return the result; it fails with an {@link java.util.concurrent.ExecutionException} whose cause is what the work has thrown, with a {@link java.util.concurrent.CancellationException} if it
     *     was cancelled, and with an {@link io.fibry.ActorStoppedException} if the scope has ended before it
     */
    CompletableFuture<T> result();

    /**
     * Cancels the work: its thread is interrupted, and work that has not begun does not begin.
     *
     * @return true if the work had not ended
     */
    boolean cancel();
}
