package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import io.fibry.internal.memory.Interleave;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets only so many turns run at a time. Others queue up, without a thread.
 *
 * <p>Who adds a turn does so first and then tries to take a place; who leaves gives the place back first and then looks
 * at the queue. So a turn is never left in the queue while there is a place.
 */
public final class RunningLimit {
    private final Quota places;
    private final Queue<Entry> queue = new ConcurrentLinkedQueue<>();

    public RunningLimit(int places) {
        this.places = new Quota(places);
    }

    /** A turn, and where it is to run. Executors that run it twice, or run what they have refused, do no harm. */
    private static final class Entry extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        private final transient RunningLimit turnstile;
        private final transient Placement placement;
        private final transient Executor executor;
        private final transient Runnable turn;

        Entry(RunningLimit turnstile, Placement placement, Executor executor, Runnable turn) {
            this.turnstile = turnstile;
            this.placement = placement;
            this.executor = executor;
            this.turn = turn;
        }

        @Override
        public void run() {
            // mutant: turn-that-runs-twice-leaves-twice
            if (compareAndSet(false, true)) {
                try {
                    turn.run();
                } finally {
                    turnstile.leave();
                }
            }
        }

        /** The executor knows such turns by their class, and would else run them in place. */
        private boolean needsThread() {
            return turn instanceof Job mine && mine.needsThread();
        }

        /** Somebody else's turn is not run in place: the caller has not asked for it. */
        void start(boolean own) {
            if (placement.mayRunInPlace() && (!own || needsThread())) {
                Strategies.FIBER_EXECUTOR.execute(this::submit);
            } else {
                submit();
            }
        }

        private void submit() {
            try {
                executor.execute(this);
            } catch (Throwable refusal) {
                if (turn instanceof Job refused) {
                    refused.refuse(refusal);
                }
                Strategies.FIBER_EXECUTOR.execute(this);
            }
        }
    }

    private void leave() {
        places.giveBack();
        Interleave.here();
        // mutant: handler-that-ends-lets-nobody-in
        letIn(null);
    }

    void execute(Placement placement, Executor executor, Runnable turn) {
        var entry = new Entry(this, placement, executor, turn);
        queue.add(entry);
        Interleave.here();
        letIn(entry);
    }

    private void letIn(@Nullable Entry own) {
        while (!queue.isEmpty() && places.take()) {
            var next = queue.poll();
            if (next == null) {
                places.giveBack();
            } else {
                next.start(next == own);
            }
        }
    }

    /** Whether turns of this strategy come by here already. */
    public boolean isIn(CreationStrategy strategy) {
        return strategy instanceof LimitedStrategy limited
                && (limited.turnstile() == this || isIn(limited.base()));
    }

    int running() {
        return places.taken();
    }

    int waiting() {
        return queue.size();
    }

    @Override
    public String toString() {
        return String.valueOf(places.most());
    }
}
