package io.fibry.work;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages in batches, several batches at a time. The messages of one key go to one of several actors, each of which
 * handles batches as {@link io.fibry.ActorBuilder#newBatchActor} says: by size and time, as lists, grouped by a key, or
 * merged. So messages with equal keys are handled in the order in which a sender has sent them, and never side by side.
 *
 * <p>Objects are thread-safe. Programs do not implement this interface.
 *
 * @param <M> type of the messages
 */
public interface ParallelBatches<M> extends AutoCloseable {
    /**
     * Makes the actors, in a scope of their own.
     *
     * @param <M> type of the messages
     * @param scope the scope around that of the actors, with which they end
     * @param name the name of their scope
     * @param options the options
     * @param handler handles a batch; it is called by several actors at a time
     * @return the handle
     * @throws IllegalStateException if the scope is closed
     */
    static <M> ParallelBatches<M> open(ActorScope scope, String name, ParallelBatchOptions<M> options,
            Handler<List<M>> handler) {
        return BatchActors.open(scope, name, options, handler);
    }

    /**
     * Sends a message.
     *
     * @param message the message
     * @return true if it was accepted
     */
    boolean send(M message);

    /**
     * Sends a message, and returns a future that completes when its batch has been handled.
     *
     * @param message the message
     * @return the future; it fails with what the handler has thrown for its batch
     */
    CompletableFuture<@Nullable Void> process(M message);

    /**
     * Sends a message, and returns a future of what becomes of it.
     *
     * @param message the message
     * @return the future of its fate
     */
    CompletableFuture<MessageFate> sendTracked(M message);

    /**
     * Returns what became of the messages.
     *
     * @return the numbers
     */
    Counters counters();

    /**
     * Stops: the open batches end and are handled, until the deadline.
     *
     * @param deadline how long the batches may take; not negative
     * @return how the stop went
     */
    StopReport stop(Duration deadline);

    /**
     * Returns a future of the end.
     *
     * @return the future of a report
     */
    CompletableFuture<StopReport> onStopped();

    /** Stops, with the time that the scope has for its close. */
    @Override
    void close();
}
