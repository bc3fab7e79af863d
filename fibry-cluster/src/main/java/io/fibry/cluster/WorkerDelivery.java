package io.fibry.cluster;

import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.pool.WorkerPool;

/** Hands messages over to the workers of this node. */
final class WorkerDelivery<M, R> implements HostedHere.Delivery {
    private final LetterReader<M, R> letters;
    private final String handler;
    private final WorkerPool<M, R> pool;

    WorkerDelivery(GroupCodec<?, M, R> codec, LetterContext context, DeliveredAsks asks,
            WorkerPool<M, R> pool) {
        letters = new LetterReader<>(codec, context, asks);
        handler = asks.group();
        this.pool = pool;
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        letters.readOrRefuse(delivery)
                .ifPresent(letter -> letters.give(delivery, letter, letter.message(), pool, () -> handler,
                        () -> pool.isStopping() ? Verdict.STOPPED : Verdict.FULL));
    }
}
