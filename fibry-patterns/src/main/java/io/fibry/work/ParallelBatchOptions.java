package io.fibry.work;

import io.fibry.ActorBuilder;
import io.fibry.message.BatchOptions;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Options of {@link ParallelBatches}. Objects are immutable.
 *
 * @param <M> type of the messages
 * @param parallel how many batches are handled at a time, at most
 * @param batch how messages become batches
 * @param orderKey returns the key of a message; messages with equal keys keep their order
 * @param actors changes the builder of the actors that handle batches
 */
public record ParallelBatchOptions<M>(int parallel, BatchOptions<M> batch, Function<? super M, ?> orderKey,
        UnaryOperator<ActorBuilder> actors) {
    /**
     * Checks the number.
     *
     * @param parallel at least one
     * @param batch not null
     * @param orderKey not null
     * @param actors not null
     */
    public ParallelBatchOptions {
        if (parallel < 1) {
            throw new IllegalArgumentException("parallel must be at least 1: " + parallel);
        }
        Objects.requireNonNull(batch, "batch");
        Objects.requireNonNull(orderKey, "orderKey");
        Objects.requireNonNull(actors, "actors");
    }

    /**
     * Returns options.
     *
     * @param <M> type of the messages
     * @param parallel how many batches are handled at a time, at most
     * @param batch how messages become batches
     * @param orderKey returns the key of a message, by which messages keep their order
     * @return the options
     */
    public static <M> ParallelBatchOptions<M> of(int parallel, BatchOptions<M> batch,
            Function<? super M, ?> orderKey) {
        return new ParallelBatchOptions<>(parallel, batch, orderKey, UnaryOperator.identity());
    }

    /**
     * Returns the same options with another change of the builder of the actors.
     *
     * @param change takes the builder and returns another one
     * @return the new options
     */
    public ParallelBatchOptions<M> withActors(UnaryOperator<ActorBuilder> change) {
        return new ParallelBatchOptions<>(parallel, batch, orderKey, change);
    }
}
