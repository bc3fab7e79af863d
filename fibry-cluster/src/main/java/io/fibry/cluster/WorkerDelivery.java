package io.fibry.cluster;

import io.fibry.StopReport;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.pool.WorkerPool;
import java.util.concurrent.CompletableFuture;

/** Hands messages over to the workers of this node. */
final class WorkerDelivery<M, R> implements HostedHere.Delivery {
    private final LetterReader<M, R> letters;
    private final String handler;
    private final WorkerPool<M, R> pool;
    private final CompletableFuture<StopReport> stopped;

    WorkerDelivery(GroupCodec<?, M, R> codec, LetterContext context, DeliveredAsks asks,
            WorkerPool<M, R> pool) {
        letters = new LetterReader<>(codec, context, asks);
        handler = asks.group();
        this.pool = pool;
        stopped = pool.onStopped();
    }

    @Override
    public void deliver(HomeDelivery delivery) {
        letters.readOrRefuse(delivery)
                .ifPresent(letter -> letters.give(delivery, letter, letter.message(), pool, () -> handler,
                        () -> stopped.isDone() ? Verdict.STOPPED : Verdict.FULL));
    }
}
