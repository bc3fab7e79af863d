package io.fibry.internal.run;

import io.fibry.CreationStrategy;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows about a strategy.
 *
 * @param executor the one executor of all its actors; null if each actor gets its own
 * @param fairness how a turn whose budget is spent lets others run
 * @param boundedPool whether a thread that waits is one of few
 * @param mayRunInPlace whether starting a turn may mean to run it there and then
 */
public record Placement(@Nullable Executor executor, Fairness fairness, boolean boundedPool,
        boolean mayRunInPlace) {
    /** Whether each actor has a thread of its own, which alone runs it. */
    public boolean ownThread() {
        return fairness == Fairness.PREEMPTED;
    }

    /** How a turn whose budget is spent lets others run. */
    public enum Fairness {
        /** The operating system sees to it. */
        PREEMPTED,
        /** The thread yields, and whatever schedules it is fair. */
        YIELDS,
        /** A virtual thread of the JDK's scheduler, which is not fair to those that yield: see {@link CarrierHandoff}. */
        RELAYS,
        /** The rest is handed to the executor as a new turn. */
        RESUBMITS
    }

    /** A strategy of ours, which knows its own placement. */
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
