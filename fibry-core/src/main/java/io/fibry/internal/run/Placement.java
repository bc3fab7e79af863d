package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import io.fibry.internal.memory.Interleave;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows about a strategy.
 *
 * @param executor the executor of all owners; null if each owner has its own
 * @param fairness how a job whose budget is spent lets others run
 * @param handoff how a thread gives its carrier away; null unless the jobs relay each other
 * @param boundedPool whether a thread that waits belongs to a pool of limited size
 * @param mayRunInPlace whether the executor may run a job on the thread that starts it
 */
public record Placement(@Nullable Executor executor, Fairness fairness, @Nullable Handoff handoff,
        boolean boundedPool, boolean mayRunInPlace) {
    public Placement(@Nullable Executor executor, Fairness fairness, boolean boundedPool,
            boolean mayRunInPlace) {
        this(executor, fairness, null, boundedPool, mayRunInPlace);
    }

    /** Returns the placement of jobs on virtual threads, which give their carriers away in this manner. */
    public static Placement onFibers(Executor executor, Handoff handoff) {
        return new Placement(executor, Fairness.RELAYS, handoff, false, false);
    }

    /** Tells whether each owner has a thread of its own, on which alone it runs. */
    public boolean ownThread() {
        return fairness == Fairness.PREEMPTED;
    }

    /** How a job whose budget is spent lets others run. */
    public enum Fairness {
        /** The operating system preempts the thread. */
        PREEMPTED,
        /** The thread is a virtual thread, and gives its carrier away. */
        RELAYS,
        /** The rest is submitted to the executor as a new job. */
        RESUBMITS
    }

    /** A strategy of the library, which knows its own placement. */
    public interface Known extends CreationStrategy {
        Placement placement();

        @Override
        default Executor executorFor(String actor) {
            var executor = placement().executor();
            if (executor == null) {
                throw new AssertionError(this + " has no executor for all actors and must override this");
            }
            return executor;
        }
    }

    private static final Placement FOREIGN = new Placement(null, Fairness.RESUBMITS, false, true);

    /** The placement of all jobs during a schedule of the test kit; null while there is none. Set by tests alone. */
    private static volatile @Nullable Placement standIn;

    public static Placement of(CreationStrategy strategy) {
        if (!(strategy instanceof Known known)) {
            return FOREIGN;
        }
        var chosen = Interleave.isOn() ? standIn : null;
        return chosen != null ? chosen : known.placement();
    }

    /** Sets, for tests, the executor that runs the jobs of owners that are made from now on; null for their strategies. */
    public static void standIn(@Nullable Executor executor) {
        standIn = executor == null ? null : new Placement(executor, Fairness.RESUBMITS, false, false);
    }
}
