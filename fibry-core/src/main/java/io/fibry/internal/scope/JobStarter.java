package io.fibry.internal.scope;

import io.fibry.internal.memory.Interleave;
import io.fibry.internal.run.Strategies;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Starts the actors of jobs one after another on a fiber, so that the timer thread does not: it has other timers. Only
 * for actors whose strategy hands them on, so that none of their code runs here.
 *
 * <pre>
 *   waiting: n -> n + 1   the thread that fires a job, which is in the queue by then; from 0 it also hands the starter to a fiber
 *            n -> n - 1   the fiber, when it has taken and started one; at 0 it ends, and otherwise it goes on, or hands itself on
 * </pre>
 *
 * <p>So there is one fiber as long as the number is not 0, and each job that is counted is found in the queue.
 */
final class JobStarter implements Runnable {
    /** How many it starts before it lets other fibers run. */
    private static final int AT_ONCE = 64;

    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    /** The thread that raises it from 0 hands the starter to a fiber, which ends when it has lowered it to 0. */
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> report;

    /** Makes a starter that reports what keeps an actor from being started. */
    JobStarter(Consumer<Throwable> report) {
        this.report = report;
    }

    void start(Runnable next) {
        // mutant: due-job-is-counted-before-it-waits
        queue.add(next);
        assert Interleave.here();
        // mutant: starter-of-jobs-starts-for-none
        // mutant: starter-of-jobs-starts-for-each
        if (waiting.getAndIncrement() == 0 && !isHandedOn()) {
            run(); // here, as no fiber would
        }
    }

    private boolean isHandedOn() {
        try {
            Strategies.FIBER_EXECUTOR.execute(this);
            return true;
        } catch (Throwable noFiber) {
            report.accept(noFiber);
            return false;
        }
    }

    @Override
    public void run() {
        var isOver = false;
        while (!isOver) {
            // mutant: starter-of-jobs-forgets-the-rest
            isOver = startSome() == 0 || isHandedOn();
        }
    }

    /** Returns how many are waiting. */
    private int startSome() {
        var left = 1;
        for (int i = 0; i < AT_ONCE && left > 0; i++) {
            try {
                queue.remove().run();
            } catch (Throwable failure) {
                report.accept(failure);
            }
            assert Interleave.here();
            left = waiting.decrementAndGet();
        }
        return left;
    }
}
