package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Starts long work and gives receipts for it. Any caller that has the id of a receipt can look at the work, wait for its result,
 * and cancel it; the caller that has started it may have gone. A receipt is kept for some time after the end of its work. If there are as
 * many as there may be, the one whose work has ended first makes room.
 *
 * <p>Each work runs in an actor of its own, in a scope of these receipts. It does not have the time limit of the handler that has
 * started it. What it throws is a failure of its actor, which is reported, and is in the result.
 *
 * <p>Objects are thread-safe. Programs do not implement this interface.
 */
public interface Receipts extends AutoCloseable {
    /**
     * Makes receipts.
     *
     * @param scope the scope around that of the receipts, with which they end
     * @param name the name of their scope
     * @param options the options
     * @return the receipts
     * @throws IllegalStateException if the scope is closed
     */
    static Receipts open(ActorScope scope, String name, ReceiptOptions options) {
        return ReceiptBook.open(scope, name, options);
    }

    /**
     * Starts work. This method does not wait for it, unless the actors run on the thread of their senders
     * ({@link io.fibry.CreationStrategy#caller()}). If the actor of the work cannot be made, the work has failed with that
     * exception.
     *
     * @param <T> type of the result
     * @param code the work
     * @return the receipt
     * @throws ReceiptsFullException if there are as many receipts as there may be, and all of their work runs
     * @throws IllegalStateException if the receipts have been closed, or if another receipt has the id that the options have
     *     made
     */
    <T extends @Nullable Object> Receipt<T> start(ReplyHandler<Progress, T> code);

    /**
     * Finds a receipt by its id.
     *
     * @param id the id
     * @return the receipt; empty if there is none, or none any more
     */
    Optional<Receipt<?>> find(String id);

    /**
     * Returns how far all work is that has a receipt.
     *
     * @return the states: first of the work that has ended, in the order of its ends, then of the work that runs, in the
     *     order in which it was started
     */
    List<ReceiptState> states();

    /**
     * Returns what became of the work, as the counts of the actors in which it ran.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Stops: no work can be started any more, and what runs may go on until the deadline, is interrupted then, and fails.
     *
     * @param deadline how long the work may take; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end of these receipts.
     *
     * @return the future of a report
     */
    CompletableFuture<StopReport> onStopped();

    /** Stops, with the time that the scope has for its close. */
    @Override
    void close();
}
