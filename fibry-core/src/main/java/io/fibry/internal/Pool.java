package io.fibry.internal;

import io.fibry.PoolStrategy;
import io.fibry.internal.Placement.Fairness;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool of platform threads. It is a fork-join pool because that one knows how to put a spare thread in the
 * place of one that waits in a way it is told of, which all our waits are.
 */
final class Pool implements PoolStrategy, Placement.Known {
    /** How many threads may stand in for waiting ones. */
    private static final int MAX_SPARES = 256;
    private static final long KEEP_ALIVE_MILLIS = 1_000;
    private static final AtomicInteger POOLS = new AtomicInteger();

    private final ForkJoinPool threads;
    private final Placement placement;

    Pool(int size) {
        if (size < 1) {
            throw new IllegalArgumentException("threads must be at least 1: " + size);
        }
        var name = "fibry-pool-" + POOLS.incrementAndGet() + "-";
        var counter = new AtomicInteger();
        threads =
                new ForkJoinPool(size, pool -> new Worker(pool, name + counter.incrementAndGet()), null, true,
                        0, size + MAX_SPARES, size, saturated -> true, KEEP_ALIVE_MILLIS,
                        TimeUnit.MILLISECONDS);
        placement = new Placement(this::submit,
                Fairness.RESUBMITS, true, false);
    }

    /** Never to the submitting worker's own queue, which it would empty before it looks at any other. */
    private void submit(Runnable turn) {
        var unused = threads.externalSubmit(ForkJoinTask.adapt(turn));
    }

    private static final class Worker extends ForkJoinWorkerThread {
        Worker(ForkJoinPool pool, String name) {
            super(null, pool, false);
            setName(name);
        }
    }

    @Override
    public Placement placement() {
        return placement;
    }

    @Override
    public void close() {
        if (Thread.currentThread() instanceof ForkJoinWorkerThread worker && worker.getPool() == threads) {
            threads.shutdown(); // its own thread cannot wait for itself
        } else {
            threads.close();
        }
    }

    @Override
    public String toString() {
        return "pool(" + threads.getParallelism() + ")";
    }
}
