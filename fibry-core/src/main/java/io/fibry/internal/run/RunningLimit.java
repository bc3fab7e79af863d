package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import io.fibry.internal.memory.Interleave;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of jobs that run at a time. Further jobs wait in a queue, without a thread.
 *
 * <p>A thread that adds a job adds it first and then tries to take a place. A thread that leaves gives its place back
 * first and then reads the queue. So no job stays in the queue while there is a place.
 */
public final class RunningLimit {
    private final Quota places;
    /** A sender adds its entry and then tries to take a place; a thread gives a place back and then reads the queue. */
    private final Queue<Entry> queue = new ConcurrentLinkedQueue<>();

    public RunningLimit(int places) {
        this.places = new Quota(places);
    }

    /**
     * A job, and where it is to run. Running it twice has no effect, so an executor may run a job twice, or run one
     * that it has refused.
     */
    private static final class Entry extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        private final transient RunningLimit limit;
        private final transient Placement placement;
        private final transient Executor executor;
        private final transient Runnable job;

        Entry(RunningLimit limit, Placement placement, Executor executor, Runnable job) {
            this.limit = limit;
            this.placement = placement;
            this.executor = executor;
            this.job = job;
        }

        @Override
        public void run() {
            // mutant: turn-that-runs-twice-leaves-twice
            if (compareAndSet(false, true)) {
                try {
                    job.run();
                } finally {
                    limit.leave();
                }
            }
        }

        /** The executor tells such jobs by their class, which is hidden here, and would run them in place. */
        private boolean needsThread() {
            return job instanceof Job task && task.needsThread();
        }

        private record Submitting(Entry entry) implements Runnable {
            @Override
            public void run() {
                entry.submit();
            }
        }

        /** Starts the job. A job of another thread does not run in place: the caller has not asked for it. */
        void start(boolean addedByCaller) {
            if (placement.mayRunInPlace() && (!addedByCaller || needsThread())) {
                Strategies.FIBER_EXECUTOR.execute(new Submitting(this));
            } else {
                submit();
            }
        }

        private void submit() {
            try {
                executor.execute(this);
            } catch (Throwable refusal) {
                if (job instanceof Job refused) {
                    refused.refuse(refusal);
                }
                Strategies.FIBER_EXECUTOR.execute(this);
            }
        }
    }

    private void leave() {
        places.giveBack();
        assert Interleave.here();
        // mutant: handler-that-ends-lets-nobody-in
        startQueued(null);
    }

    void execute(Placement placement, Executor executor, Runnable job) {
        var entry = new Entry(this, placement, executor, job);
        queue.add(entry);
        assert Interleave.here();
        startQueued(entry);
    }

    private void startQueued(@Nullable Entry added) {
        while (!queue.isEmpty() && places.take()) {
            var next = queue.poll();
            if (next == null) {
                places.giveBack();
            } else {
                next.start(next == added);
            }
        }
    }

    /** Tells whether jobs of this strategy already pass this limit. */
    public boolean appliesTo(CreationStrategy strategy) {
        return strategy instanceof LimitedStrategy limited
                && (limited.limit() == this || appliesTo(limited.base()));
    }

    public int limit() {
        return places.limit();
    }

    public int running() {
        return places.taken();
    }

    public int waiting() {
        return queue.size();
    }

    @Override
    public String toString() {
        return String.valueOf(places.limit());
    }
}
