package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows about a strategy.
 *
 * @param executor the executor of all owners; null if each owner has its own
 * @param fairness how a job whose budget is spent lets others run
 * @param boundedPool whether a thread that waits belongs to a pool of limited size
 * @param mayRunInPlace whether the executor may run a job on the thread that starts it
 */
public record Placement(@Nullable Executor executor, Fairness fairness, boolean boundedPool,
        boolean mayRunInPlace) {
    /** Tells whether each owner has a thread of its own, on which alone it runs. */
    public boolean ownThread() {
        return fairness == Fairness.PREEMPTED;
    }

    /** How a job whose budget is spent lets others run. */
    public enum Fairness {
        /** The operating system preempts the thread. */
        PREEMPTED,
        /**
         * The thread yields. That is enough where the scheduler of virtual threads is fair, as that of the seeded schedules is.
         */
        YIELDS,
        /**
         * The thread is a virtual thread of the JDK's scheduler, which is not fair to threads that yield: see {@link
         * CarrierHandoff}.
         */
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

    public static Placement of(CreationStrategy strategy) {
        return strategy instanceof Known known ? known.placement() : FOREIGN;
    }
}
