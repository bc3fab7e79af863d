package io.fibry.internal.run;

import io.fibry.PoolStrategy;
import io.fibry.internal.run.Placement.Fairness;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool of platform threads. It is a fork-join pool because that one knows how to put a spare thread in the
 * place of one that waits in a way it is told of, which all our waits are.
 */
final class Pool implements PoolStrategy, Placement.Known {
    /** What a fork-join pool allows at most; so many actors of one pool can wait for each other. */
    private static final int MAX_THREADS = 32_767;
    private static final long KEEP_ALIVE_MILLIS = 1_000;
    private static final AtomicInteger POOLS = new AtomicInteger();

    private final ForkJoinPool threads;
    private final Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    private final Placement placement;

    Pool(int size) {
        if (size < 1 || size > MAX_THREADS) {
            throw new IllegalArgumentException("threads must be from 1 to " + MAX_THREADS + ": " + size);
        }
        var name = "fibry-pool-" + POOLS.incrementAndGet() + "-";
        var counter = new AtomicInteger();
        threads =
                new ForkJoinPool(size, pool -> new Worker(pool, name + counter.incrementAndGet()), null, true,
                        0, MAX_THREADS, size, saturated -> true, KEEP_ALIVE_MILLIS,
                        TimeUnit.MILLISECONDS);
        placement = new Placement(this::submit,
                Fairness.RESUBMITS, true, false);
    }

    /**
     * The pool's own queues are not fair: a worker stays with one until that is empty. So what they hold are only
     * permits, each to run the turn that has waited longest.
     */
    private void submit(Runnable turn) {
        turns.add(turn);
        try {
            threads.execute(() -> Objects.requireNonNull(turns.poll()).run());
        } catch (RejectedExecutionException | OutOfMemoryError closed) {
            if (turns.remove(turn)) {
                throw closed;
            }
            // An earlier permit has run it, and has left another turn without one.
            if (turns.poll() instanceof Job orphan) {
                orphan.refuse(closed);
                Strategies.FIBER_EXECUTOR.execute(orphan);
            }
        }
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
