package io.fibry.internal.run;

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
 * A pool of platform threads. It is a fork-join pool, since such a pool adds a spare thread for one that waits by a
 * managed block, as all waits of the library do.
 */
final class Pool implements Placement.Known {
    /** The largest size of a fork-join pool. As many owners of one pool can wait for one another. */
    private static final int MAX_THREADS = 32_767;
    private static final long KEEP_ALIVE_MILLIS = 1_000;
    private static final AtomicInteger POOLS = new AtomicInteger();

    private final ForkJoinPool threads;
    private final Queue<Runnable> jobs = new ConcurrentLinkedQueue<>();
    private final Placement placement;
    /** Runs the job that has waited longest. */
    private final Runnable permit = this::runNext;

    Pool(int size) {
        if (size < 1 || size > MAX_THREADS) {
            throw new IllegalArgumentException("threads must be from 1 to " + MAX_THREADS + ": " + size);
        }
        var name = "fibry-pool-" + POOLS.incrementAndGet() + "-";
        var counter = new AtomicInteger();
        threads =
                new ForkJoinPool(size, pool -> new Worker(pool, name + counter.incrementAndGet()), null, true,
                        0, MAX_THREADS, size, pool -> true, KEEP_ALIVE_MILLIS,
                        TimeUnit.MILLISECONDS);
        placement = new Placement(this::submit,
                Fairness.RESUBMITS, true, false);
    }

    private void runNext() {
        Objects.requireNonNull(jobs.poll()).run();
    }

    /**
     * Submits a job. The queues of the pool are not fair: a worker takes tasks from one queue until it is empty.
     * Therefore they contain only permits, each of which runs the job that has waited longest.
     */
    private void submit(Runnable job) {
        jobs.add(job);
        try {
            threads.execute(permit);
        } catch (RejectedExecutionException | OutOfMemoryError lacking) { // memory for a thread or a permit
            if (jobs.remove(job)) {
                throw lacking;
            }
            // An earlier permit has run this job, and has left another job without a permit.
            if (jobs.poll() instanceof Job orphan) {
                orphan.refuse(lacking);
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
    public String toString() {
        return "pool(" + threads.getParallelism() + ")";
    }
}
